/** The most characters of a program's last words in a message. */
const MAX_WORDS_CHARS = 300
/** The most characters of a line that are looked at; a longer one begins like this. */
const MAX_LINE_CHARS = 1000

/** The lines that programs and their interpreters write after the one that says what is wrong. */
const AFTERWORDS =
  /^\s|^Node\.js v\d|^note: run with `RUST_BACKTRACE|^npm (?:error|ERR!) (?:A complete log|.*[/\\]_logs[/\\])|^exit status \d|^goroutine \d|^[\w./*()-]+\(.*\)$|^\.\.\. \d+ more$|^For more information|^hint:|^See .* for (?:more )?help/i

/** The lines with which some interpreters begin what is wrong, before lines of another form. */
const BEGINS_WORDS = /^(?:panic: |fatal error: |thread '.*' (?:\(\d+\) )?panicked at |Exception in thread )/

/** Finds the line in which a program says why it ended; undefined if it has said nothing. */
export function findLastWords(log: string): string | undefined {
  const lines = log
    .split(/\r?\n/)
    .filter((line) => /[\p{L}\d]/u.test(line))
    .map((line) => line.slice(0, MAX_LINE_CHARS))
  const begin = lines.findLastIndex((line) => BEGINS_WORDS.test(line))
  const words = begin >= 0 ? wordsFrom(lines, begin) : lines.findLast((line) => !AFTERWORDS.test(line))
  return (words ?? lines.at(-1))
    ?.toWellFormed()
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, MAX_WORDS_CHARS)
}

/** Since version 1.73, Rust writes the message of a panic in a line of its own. */
const wordsFrom = (lines: readonly string[], begin: number): string =>
  lines[begin]!.endsWith(':') ? [lines[begin], lines[begin + 1]].filter(Boolean).join(' ') : lines[begin]!
