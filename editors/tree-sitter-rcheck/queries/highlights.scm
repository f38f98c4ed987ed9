; Colours by place in the syntax; the language server knows the meanings of names.

(line_comment) @comment
(block_comment) @comment
(number) @number
(boolean) @boolean

["enum" "channels" "message-structure" "property-variables" "communication-variables" "point-to-point" "const" "guard" "agent" "local" "init"
 "relabel" "receive-guard" "repeat" "rep" "system" "where" "SPEC" "LTLSPEC" "LTL" "LTOL" "ASSUME"] @keyword
["if" "then" "else"] @keyword.conditional
["forall" "exists" "/\\" "\\/" "sum" "count" "distinct" "G" "F" "X"] @keyword.operator
(until) @keyword.operator
[(get_word) (supply_word)] @keyword
["any" (myself) (chan)] @variable.builtin
(primitive_type) @type.builtin
(type_name) @type
(broadcast) @constant.builtin

["!" "?" ":=" "<-" "->" "=>" "<->" "|" "||" "&" "&&" "=" "==" "!=" "<" "<=" ">" ">=" "+" "-" "/" ".."] @operator
["<<" ">>" "[[" "]]"] @punctuation.special
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ":" ";" "."] @punctuation.delimiter

(enum name: (identifier) @type)
(enum constant: (identifier) @constant)
(channels channel: (identifier) @constant)
(constant name: (identifier) @constant)
(agent name: (identifier) @type)
(instance type: (identifier) @type)
(instance name: (identifier) @constant)
(guard_definition name: (identifier) @function)
(call name: (identifier) @function.call)
(command label: (identifier) @label)
(declaration name: (identifier) @variable.member)
(assignment name: (identifier) @variable.member)
(relabelling name: (identifier) @property)
(property) @property
(member) @variable.member
(quantified variable: (identifier) @variable.parameter)
(aggregate variable: (identifier) @variable.parameter)
