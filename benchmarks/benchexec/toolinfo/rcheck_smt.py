"""BenchExec's view of rcheck-smt: how to run it on a task, and what its output means.

Start BenchExec from the root of the project with `--tool-directory` naming the folder of the binary; see
benchmarks/README.md.
"""

import benchexec.result as result
from benchexec.tools.template import BaseTool2


class Tool(BaseTool2):
    """Tool-info module for rcheck-smt, for tasks made by `tasks.py`."""

    # The binary finds Z3 below the root of the project it was built in.
    REQUIRED_PATHS = ["../../.z3/lib"]

    def name(self):
        return "rcheck-smt"

    def project_url(self):
        return ""

    def executable(self, tool_locator):
        return tool_locator.find_executable("rcheck-smt", subdir="target/release")

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="rcheck-smt")

    def cmdline(self, executable, options, task, rlimits):
        """The spec that the task's options count, or all specs of the model."""
        command = [executable, *(options or ["prove"]), task.single_input_file]
        if isinstance(task.options, dict) and "spec" in task.options:
            command += ["--spec", str(task.options["spec"])]
        if rlimits.cpu_cores:
            command += ["--jobs", str(rlimits.cpu_cores)]
        return command + ["--stats", "--color", "never"]

    def determine_result(self, run):
        """`stats: spec=1 verdict=holds ..`; clear up to a depth is no answer to the question."""
        verdicts = [words.get("verdict") for words in statistics(run.output)]
        if "violated" in verdicts:
            return result.RESULT_FALSE_PROP
        if verdicts and run.exit_code.value == 0 and all(verdict == "holds" for verdict in verdicts):
            return result.RESULT_TRUE_PROP
        if verdicts:
            return f"{result.RESULT_UNKNOWN} (clear)" if set(verdicts) <= {"clear", "holds"} else result.RESULT_UNKNOWN
        if run.was_timeout:
            return result.RESULT_TIMEOUT
        if run.exit_code.value == 4:
            return result.RESULT_UNKNOWN
        if run.exit_code.value == 2:
            return f"{result.RESULT_ERROR} (input)"
        return result.RESULT_ERROR

    def get_value_from_output(self, output, identifier):
        """For table columns: `depth`, `encoding`, `solving` of the line of statistics."""
        return next((words.get(identifier) for words in statistics(output)), None)


def statistics(output):
    """The pairs of each line of statistics."""
    for line in output:
        if line.strip().startswith("stats:"):
            yield dict(word.split("=", 1) for word in line.split() if "=" in word)
