/** The longest piece, in characters: as much as the server speaks at once. */
const MAX_CHARS = 4096
/** The longest first piece, so that it is heard soon. */
const MAX_FIRST_CHARS = 500

/** The marks of Markdown with what is read in their place, in the order in which they are replaced. */
const MARKS: readonly [pattern: RegExp, replacement: string][] = [
  // Blocks of code, also one that is not closed.
  [/^ *(`{3,}|~{3,}).*?(?:^ *\1[`~]* *$|$(?![\s\S]))/gms, '\n'],
  [/<!--.*?-->|<\/?[a-z][^<>\n]*>/gis, ''],
  [/^ *\$\$.*?\$\$ *$/gms, '\n'],
  [/!\[[^\]]*\]\([^)\s]*(?: "[^"]*")?\)/g, ''],
  [/\[([^\]]+)\]\([^)\s]*(?: "[^"]*")?\)/g, '$1'],
  // Definitions of links, numbers of sources, and addresses, of which the host is enough.
  [/^ *\[[^\]]+\]: .*$/gm, ''],
  [/ ?\[\^?\d+\]/g, ''],
  [/<?\bhttps?:\/\/(?:www\.)?([^\s/<>)]+)[^\s<>)]*>?/g, '$1'],
  // Rows of tables: the rule below the heads, then the bars.
  [/^ *\|?(?: *:?-{2,}:? *\|)+ *(?::?-{2,}:?)? *\|?$/gm, ''],
  [/^ *\| *(.*?) *\| *$/gm, '$1.'],
  [/ +\| +/g, ', '],
  [/^ *(?:[-*_] *){3,}$/gm, ''],
  [/^ *(?:> ?)+/gm, ''],
  [/^ *#{1,6} +(.*?)(?: +#+)? *$/gm, '$1\n'],
  [/^ *[-*+] +(?:\[[ x]\] +)?/gim, ''],
  [/(\*\*|__|~~)(?=\S)(.+?)(?<=\S)\1/gs, '$2'],
  [/(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])/g, '$1'],
  [/(?<![\w_])_(?=\S)([^_\n]+?)(?<=\S)_(?![\w_])/g, '$1'],
  [/`+([^`\n]+)`+/g, '$1'],
  [/\\([\\`*_{}[\]()#+.!|~>-])/g, '$1'],
  [/[ \t]+$/gm, ''],
  [/\n{3,}/g, '\n\n'],
]

/** Returns the words of an answer in Markdown, without its marks and its code. */
const toWords = (markdown: string): string =>
  MARKS.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), markdown).trim()

/** A sentence with what follows it, or a line. */
const SENTENCES = /[^.!?。！？…\n]*(?:[.!?…]+(?=\s|$)["'”’)]*|[。！？]+[”’」』）]*|[.!?…]+|\n+|$)\s*/gu

/** Returns the words of an answer in pieces that are spoken one after the other, each of whole sentences if possible. */
export function toSpokenPieces(markdown: string): string[] {
  const pieces: string[] = []
  let piece = ''
  const end = () => {
    if (/[\p{L}\p{N}]/u.test(piece)) pieces.push(piece.trim())
    piece = ''
  }
  const limit = () => (pieces.length === 0 ? MAX_FIRST_CHARS : MAX_CHARS)
  for (const [sentence] of toWords(markdown).matchAll(SENTENCES)) {
    if (piece.length + sentence.length > limit()) end()
    let words = sentence
    while (words.length > limit()) {
      piece = cut(words, limit())
      words = words.slice(piece.length)
      end()
    }
    piece += words
  }
  end()
  return pieces
}

/** Cuts the start of a text, after a word if there is one, and never within a character. */
function cut(text: string, length: number): string {
  const start = text.slice(0, length)
  const space = start.lastIndexOf(' ')
  if (space > length / 2) return start.slice(0, space + 1)
  return /[\ud800-\udbff]$/.test(start) ? start.slice(0, -1) : start
}
