// Decides if `>` closes a guard or an observation of the classic dialect, or compares. It closes a guard exactly where a channel
// with `!` or `?`, or `GET@` or `SUPPLY@`, follows; and an observation unless a number follows.
#include "tree_sitter/parser.h"
#include <string.h>

enum { CLOSE_GUARD, CLOSE_OBSERVATION, NEVER };

static bool is_space(int32_t c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == 0xFEFF; }
static bool is_digit(int32_t c) { return '0' <= c && c <= '9'; }
static bool is_letter(int32_t c) { return ('A' <= c && c <= 'Z') || ('a' <= c && c <= 'z') || c == '_'; }

static void skip_spaces(TSLexer *lexer) {
    while (is_space(lexer->lookahead)) lexer->advance(lexer, false);
}

static bool action_follows(TSLexer *lexer) {
    char word[8] = "";
    size_t length = 0;
    if (lexer->lookahead == '*') {
        lexer->advance(lexer, false);
    } else if (is_letter(lexer->lookahead)) {
        for (; is_letter(lexer->lookahead) || is_digit(lexer->lookahead); length++) {
            if (length + 1 < sizeof word) word[length] = (char)lexer->lookahead;
            lexer->advance(lexer, false);
        }
        if (length + 1 < sizeof word) word[length] = '\0';
    } else {
        return false;
    }
    skip_spaces(lexer);
    bool is_meeting = (length == 3 && strncmp(word, "GET", 3) == 0) || (length == 6 && strncmp(word, "SUPPLY", 6) == 0);
    if (is_meeting && lexer->lookahead == '@') return true;
    if (lexer->lookahead == '?') return true;
    if (lexer->lookahead != '!') return false;
    lexer->advance(lexer, false);
    return lexer->lookahead != '=';
}

bool tree_sitter_rcheck_external_scanner_scan(void *payload, TSLexer *lexer, const bool *valid) {
    if (valid[NEVER] || !(valid[CLOSE_GUARD] || valid[CLOSE_OBSERVATION])) return false;
    while (is_space(lexer->lookahead)) lexer->advance(lexer, true);
    if (lexer->lookahead != '>') return false;
    lexer->advance(lexer, false);
    if (lexer->lookahead == '=' || lexer->lookahead == '>') return false;
    lexer->mark_end(lexer);
    skip_spaces(lexer);
    if (valid[CLOSE_GUARD]) {
        lexer->result_symbol = CLOSE_GUARD;
        return action_follows(lexer);
    }
    lexer->result_symbol = CLOSE_OBSERVATION;
    return !is_digit(lexer->lookahead) && lexer->lookahead != '-';
}

void *tree_sitter_rcheck_external_scanner_create(void) { return NULL; }
void tree_sitter_rcheck_external_scanner_destroy(void *payload) {}
unsigned tree_sitter_rcheck_external_scanner_serialize(void *payload, char *buffer) { return 0; }
void tree_sitter_rcheck_external_scanner_deserialize(void *payload, const char *buffer, unsigned length) {}
