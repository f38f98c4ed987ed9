/**
 * The R-CHECK language, both dialects, for editors: what a name means and how operators of the two dialects group is left to
 * the language server.
 */
/// <reference types="tree-sitter-cli/dsl" />

const list = rule => seq(rule, repeat(seq(",", rule)));
const maybe = rule => optional(list(rule));

const PREC = { scope: 1, iff: 2, implies: 3, or: 4, and: 5, until: 6, compare: 7, sum: 8, product: 9, unary: 10, call: 11 };

module.exports = grammar({
  name: "rcheck",
  word: $ => $.identifier,
  extras: $ => [/[\s\uFEFF]/, $.line_comment, $.block_comment],
  // The next tokens decide if `>` closes what `<` opened in the classic dialect: src/scanner.c.
  externals: $ => [$._close_guard, $._close_observation, $._never],

  rules: {
    source_file: $ => repeat($._item),
    _item: $ => choice(
      $.enum, $.channels, $.message_structure, $.property_variables, $.point_to_point, $.constant, $.guard_definition, $.agent, $.system, $.spec,
    ),

    enum: $ => seq("enum", field("name", choice($.identifier, alias("channel", $.identifier))), "{", list(field("constant", $.identifier)), "}"),
    channels: $ => seq("channels", ":", list(field("channel", $.identifier))),
    message_structure: $ => seq("message-structure", ":", list($.declaration)),
    property_variables: $ => seq(choice("property-variables", "communication-variables"), ":", maybe($.declaration)),
    point_to_point: $ => seq("point-to-point", ":", field("reading", $.identifier), optional(";")),
    constant: $ => seq("const", field("name", $.identifier), "=", $._expression, ";"),
    guard_definition: $ => seq("guard", field("name", $.identifier), "(", maybe($.declaration), ")", ":=", $._expression, ";"),
    declaration: $ => seq(field("name", $.identifier), ":", field("type", $._type)),
    _type: $ => choice($.primitive_type, $.range, $.type_name),
    type_name: $ => $.identifier,
    primitive_type: $ => choice("bool", "int", "location", "channel"),
    range: $ => seq($._expression, "..", $._expression),

    agent: $ => prec.right(seq("agent", field("name", $.identifier), repeat($._section))),
    _section: $ => choice($.local, $.init, $.relabel, $.receive_guard, $.repeat),
    local: $ => seq("local", ":", maybe($.declaration)),
    init: $ => seq("init", ":", $._expression),
    relabel: $ => prec.right(seq("relabel", ":", repeat($.relabelling))),
    relabelling: $ => seq(field("name", $.identifier), "<-", $._expression),
    receive_guard: $ => seq("receive-guard", ":", $._expression),
    repeat: $ => seq("repeat", ":", $._process),

    _process: $ => choice($.choice, $.sequence, $._step),
    choice: $ => prec.left(1, seq($._process, "+", $._process)),
    sequence: $ => prec.left(2, seq($._process, ";", $._process)),
    _step: $ => choice($.command, $.rep, $.group),
    rep: $ => prec(3, seq("rep", $._process)),
    group: $ => seq("(", $._process, ")"),
    command: $ => seq(optional(seq(field("label", $.identifier), ":")), field("guard", $.guard), field("action", choice($.send, $.receive, $.get, $.supply))),
    guard: $ => choice(seq("{", $._expression, "}"), seq("<", $._expression, alias($._close_guard, ">"))),
    send: $ => seq(field("channel", $._channel), "!", field("receivers", choice($.parenthesised, $.call)), $.data, $.update),
    receive: $ => seq(field("channel", $._channel), "?", $.update),
    get: $ => seq($.get_word, "(", $._expression, ")", $.data, $.update),
    supply: $ => seq($.supply_word, "(", choice("any", $.myself, $.identifier), ")", $.data, $.update),
    get_word: $ => token(/GET[ \t]*@/),
    supply_word: $ => token(/SUPPLY[ \t]*@/),
    _channel: $ => choice($.broadcast, $.identifier),
    broadcast: $ => "*",
    data: $ => seq("(", maybe($.assignment), ")"),
    update: $ => seq("[", maybe($.assignment), "]"),
    assignment: $ => seq(field("name", $.identifier), ":=", $._expression),

    system: $ => prec.right(seq("system", "=", $.instance, repeat(seq(choice("||", "|"), $.instance)), optional(seq("where", $._expression)))),
    instance: $ => seq(field("type", $.identifier), "(", field("name", $.identifier), optional($.family), ",", $._expression, ")"),
    // `*` is an atom: any number.
    family: $ => seq("[", choice($._expression, $.range), "]"),

    spec: $ => seq(choice("SPEC", "LTLSPEC", "LTL", "LTOL", "ASSUME"), $._expression, optional(";")),

    _expression: $ => choice($.binary, $.unary, $.temporal, $.observation, $.quantified, $.aggregate, $.conditional, $._atom),
    binary: $ => choice(
      prec.left(PREC.iff, seq($._expression, field("operator", "<->"), $._expression)),
      prec.right(PREC.implies, seq($._expression, field("operator", choice("->", "=>")), $._expression)),
      prec.left(PREC.or, seq($._expression, field("operator", choice("|", "||")), $._expression)),
      prec.left(PREC.and, seq($._expression, field("operator", choice("&", "&&")), $._expression)),
      prec.left(PREC.until, seq($._expression, field("operator", $.until), $._expression)),
      prec.left(PREC.compare, seq($._expression, field("operator", choice("=", "==", "!=", "<", "<=", ">", ">=")), $._expression)),
      prec.left(PREC.sum, seq($._expression, field("operator", choice("+", "-")), $._expression)),
      prec.left(PREC.product, seq($._expression, field("operator", choice("*", "/")), $._expression)),
    ),
    until: $ => choice("U", "W", "R"),
    unary: $ => prec(PREC.unary, seq(field("operator", choice("!", "-")), $._expression)),
    temporal: $ => prec.right(PREC.scope, seq(field("operator", choice("G", "F", "X")), $._expression)),
    observation: $ => choice(
      prec.right(PREC.scope, seq("<<", $._expression, ">>", $._expression)),
      prec.right(PREC.scope, seq("[[", $._expression, "]]", $._expression)),
      prec.right(PREC.scope, seq("<", $._expression, alias($._close_observation, ">"), $._expression)),
      prec.right(PREC.scope, seq("[", $._expression, "]", $._expression)),
    ),
    quantified: $ => prec.right(PREC.scope, seq(choice("forall", "exists", "/\\", "\\/"), optional("distinct"), list(field("variable", $.identifier)), ":", $._domain, ".", $._expression)),
    aggregate: $ => prec.right(PREC.scope, seq(choice("sum", "count"), field("variable", $.identifier), ":", $._domain, ".", $._expression)),
    _domain: $ => seq($.type_name, repeat(seq("|", $.type_name))),
    conditional: $ => prec.right(PREC.scope, seq("if", $._expression, "then", $._expression, "else", $._expression)),

    _atom: $ => choice(
      $.number, $.boolean, $.broadcast, $.chan, $.myself, $.property, $.members, $.qualified, $.call, $.identifier,
      alias(choice("sum", "count", "if", "then", "else", "where", "const", "any", "distinct"), $.identifier), $.parenthesised,
    ),
    parenthesised: $ => seq("(", $._expression, ")"),
    number: $ => /[0-9]+/,
    boolean: $ => choice("true", "false", "TRUE", "FALSE"),
    chan: $ => choice("chan", "channel", "ch"),
    myself: $ => "myself",
    property: $ => seq("@", $.identifier),
    members: $ => seq("{", list($.identifier), "}"),
    call: $ => prec(PREC.call, seq(field("name", choice($.identifier, alias(choice("forall", "exists"), $.identifier))), "(", list($._expression), ")")),
    qualified: $ => seq(field("owner", $.identifier), field("member", $.member)),
    // `-x`, right behind the name of its owner.
    member: $ => token.immediate(prec(1, choice(/-[A-Za-z_][A-Za-z0-9_]*/, "-automaton-state"))),

    identifier: $ => /[A-Za-z_][A-Za-z0-9_]*/,
    line_comment: $ => token(seq("//", /[^\n]*/)),
    block_comment: $ => token(seq("/*", /[^*]*\*+([^/*][^*]*\*+)*/, "/")),
  },
});
