// Reads Markdown as plain words. The patterns have bounded repetitions that stop at their own marks, so they are linear.

/** A line of the fence of a code block. */
const FENCE = /^[ \t]*(?:```|~~~)/
/** The line between the head and the rows of a table, and a line across the page, without their spaces. */
const RULES = [/^[|:-]+$/, /^\*+$/, /^_+$/, /^=+$/]
const SHORTEST_RULE = 3
/** The marks of headings, quotations, list items and tasks. */
const LINE_MARKS = /^[ \t]*(?:>[ \t]?)*[ \t]*(?:#{1,6}[ \t]+|[-*+][ \t]+(?:\[[ xX]\][ \t]+)?)?/
const CODE_SPAN = /(`{1,3}[^`]{1,500}`{1,3})/
const LINK = /!?\[([^[\]]{0,500})\](?:\(([^()\s]{0,2000})(?:[ \t]+"[^"]{0,500}")?\)|\[[^[\]]{0,500}\])/g
const ADDRESS = /<((?:https?:\/\/|mailto:)[^<>\s]{1,2000})>/g
const TAG =
  /<\/?(?:a|abbr|b|br|code|details|div|em|hr|i|img|kbd|li|mark|ol|p|s|small|span|strong|sub|summary|sup|table|tbody|td|th|thead|tr|u|ul)(?:[ \t/][^<>]{0,500})?>/gi
const EMPHASES = [
  /\*\*(?=\S)((?:[^*]|\*(?!\*)){1,500})\*\*/g,
  /(?<![\p{L}\p{N}_])__(?=\S)([^_]{1,500})__(?![\p{L}\p{N}_])/gu,
  /~~(?=\S)([^~]{1,500})~~/g,
  /\*(?=[^\s*])([^*]{1,500})(?<=\S)\*/g,
  /(?<![\p{L}\p{N}_])_(?=[^\s_])([^_]{1,500})(?<=\S)_(?![\p{L}\p{N}_])/gu,
]
const ESCAPE = /\\([!-/:-@[-`{-~])/g

/**
 * Returns a Markdown text without its marks, so that it reads as it is shown. The target of a link, which is not shown,
 * is left out unless `keeps` says that it is looked for.
 */
export function toPlainWords(markdown: string, keeps: (target: string) => boolean): string {
  const lines: string[] = []
  let isCode = false
  for (const line of markdown.split('\n')) {
    if (FENCE.test(line)) isCode = !isCode
    else if (isCode) lines.push(line)
    else if (!isRule(line)) lines.push(cleanLine(line, keeps))
  }
  return lines.join('\n')
}

function isRule(line: string): boolean {
  const marks = line.replace(/\s/g, '')
  return marks.length >= SHORTEST_RULE && RULES.some((rule) => rule.test(marks))
}

function cleanLine(line: string, keeps: (target: string) => boolean): string {
  const text = line
    .replace(LINE_MARKS, '')
    .split(CODE_SPAN)
    .map((piece, index) => (index % 2 === 1 ? piece.replace(/^`+ ?| ?`+$/g, '') : cleanInline(piece, keeps)))
    .join('')
  const row = text.trim()
  return row.startsWith('|') ? row.split('|').map(trim).filter(Boolean).join(' · ') : text
}

const trim = (cell: string) => cell.trim()

function cleanInline(text: string, keeps: (target: string) => boolean): string {
  let plain = text
    .replace(LINK, (_, words: string, target = '') =>
      keeps(target) && !words.includes(target) ? `${words} (${target})` : words,
    )
    .replace(ADDRESS, '$1')
    .replace(TAG, (tag) => (keeps(tag) ? tag : ' '))
  for (const emphasis of EMPHASES) plain = plain.replace(emphasis, '$1')
  return plain.replace(ESCAPE, '$1')
}
