/** A mail's own words, and the mail that it answers or passes on. */
export interface SplitText {
  text: string
  quote?: string
  /** True if the quoted mail was forwarded. */
  is_forwarded?: boolean
}

/** The longest text that is examined, in lines. */
const MAX_LINES = 20_000

/** Lines with which mail programs announce a forwarded mail, and one that is answered. */
const FORWARD_LINE =
  /^\s*(?:-{2,}\s*(?:forwarded message|weitergeleitete nachricht|转发的邮件|转发邮件信息|轉寄郵件)\s*-{2,}|(?:begin forwarded message|anfang der weitergeleiteten nachricht|开始转发的邮件|開始轉寄郵件)\s*[:：])\s*$/i
const ORIGINAL_LINE =
  /^\s*-{2,}\s*(?:original(?: message|nachricht)?|original-nachricht|ursprüngliche nachricht|原始邮件|原邮件|原始郵件|回复的原邮件)\s*-{2,}\s*$/i

/** Names of headers in the block that Outlook and others put above a quoted mail. */
const HEADER_FIRST = /^\s*\*?(?:from|von|发件人|寄件者)\s*[:：]/i
const HEADER_OTHER =
  /^\s*\*?(?:sent|date|gesendet|datum|发送时间|发送日期|日期|时间|to|an|收件人|subject|betreff|主题|主旨)\s*\*?\s*[:：]/i

/** Lines that introduce a quote: "On Monday, Ann wrote:", which mail programs break at 80 characters. */
const ATTRIBUTION =
  /^(?:on\b.{4,300}\bwrote|am\b.{4,300}\bschrieb\b.{0,200}|(?:.{0,200}于|在).{2,200}写道|.{2,200}(?:<[^<>\s]+@[^<>\s]+>|@\S+).{0,100}(?:写道|schrieb|wrote))\s*[:：]$/is

const isBlank = (line: string) => line.trim() === ''

/** Returns for each line the first one from there on that is not blank. */
function listFilled(lines: readonly string[]): (string | undefined)[] {
  const filled: (string | undefined)[] = []
  let next: string | undefined
  for (const line of lines.toReversed()) {
    if (!isBlank(line)) next = line
    filled.push(next)
  }
  return filled.reverse()
}

const QUOTED = /^\s{0,3}>/

/** The most lines over which an introduction is broken, and its greatest length. */
const ATTRIBUTION_LINES = 4
const MAX_ATTRIBUTION_CHARS = 600

/** Returns the number of lines of the introduction that begins at a line; zero if none does. */
function measureAttribution(lines: readonly string[], start: number): number {
  if (lines[start]!.trim() === '') return 0
  let joined = ''
  for (let count = 1; count <= ATTRIBUTION_LINES; count += 1) {
    const line = lines[start + count - 1]
    if (line === undefined || line.trim() === '' || QUOTED.test(line)) return 0
    joined = `${joined} ${line.trim()}`.trim()
    if (joined.length > MAX_ATTRIBUTION_CHARS) return 0
    if (!/[:：]\s*$/.test(line)) continue
    return ATTRIBUTION.test(joined) ? count : 0
  }
  return 0
}

/** True if a line begins a block of headers: the sender, then within four lines two others. */
function isHeaderBlock(lines: readonly string[], start: number): boolean {
  if (!HEADER_FIRST.test(lines[start]!)) return false
  return lines.slice(start + 1, start + 7).filter((line) => HEADER_OTHER.test(line)).length >= 2
}

/** Returns the number of the first line of a quoted mail that takes up the rest of the text. */
function findTail(lines: readonly string[]): { start: number; is_forwarded: boolean } | undefined {
  const filled = listFilled(lines)
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index]!
    if (QUOTED.test(line)) continue
    if (FORWARD_LINE.test(line)) return { start: index, is_forwarded: true }
    if (ORIGINAL_LINE.test(line) || isHeaderBlock(lines, index)) return { start: index, is_forwarded: false }
    const length = measureAttribution(lines, index)
    if (length === 0) continue
    const next = filled[index + length]
    // An introduction of lines that are marked is dealt with below; without marks the quote has no end.
    if (next === undefined || !QUOTED.test(next)) return { start: index, is_forwarded: false }
  }
  return undefined
}

/** Removes quoted lines and their introductions, unless the words answer several of them in turn. */
function removeMarked(lines: readonly string[]): { own: string[]; quoted: string[] } {
  const own: string[] = []
  const quoted: string[] = []
  const turnLines: string[] = []
  const filled = listFilled(lines)
  let turns = 0
  for (let index = 0; index < lines.length; ) {
    const length = measureAttribution(lines, index)
    const next = length > 0 ? filled[index + length] : undefined
    if (next !== undefined && QUOTED.test(next)) {
      index += length
      continue
    }
    const line = lines[index]!
    turnLines.push(line)
    if (QUOTED.test(line)) {
      quoted.push(line.replace(/^\s{0,3}> ?/, ''))
      const following = filled[index + 1]
      if (following !== undefined && !QUOTED.test(following)) turns += 1
    } else own.push(line)
    index += 1
  }
  return turns > 1 ? { own: turnLines, quoted: [] } : { own, quoted }
}

const SIGNATURE_LINE = /^-- ?$/
/** Lines that mobile mail programs add at the end. */
const SENT_FROM =
  /^\s*(?:(?:sent|gesendet|von meine[mr]|get outlook for|holen sie sich outlook|diese nachricht wurde von meinem|获取|下载|发自|来自|從我的|从我的).{0,60}(?:iphone|ipad|ios|android|mobile|handy|outlook|galaxy|huawei|xiaomi|honor|mail|smartphone|yahoo|邮箱|手机|华为|小米|qq|微信|windows|gesendet)\S*.{0,60})\s*$/i

const MAX_SENT_FROM_CHARS = 200

/** Removes a signature, and the line that a mobile mail program added. */
function withoutSignature(lines: readonly string[]): string[] {
  const start = lines.findIndex((line) => SIGNATURE_LINE.test(line))
  const ownLines = [...(start < 0 ? lines : lines.slice(0, start))]
  for (;;) {
    const last = ownLines.findLastIndex((line) => !isBlank(line))
    if (last < 0 || ownLines[last]!.length > MAX_SENT_FROM_CHARS || !SENT_FROM.test(ownLines[last]!))
      return ownLines.slice(0, last + 1)
    ownLines.length = last
  }
}

const join = (lines: readonly string[]) =>
  lines
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()

/** Splits the text of a mail into the person's own words and what they quote. Removes signatures. */
export function splitText(source: string): SplitText {
  const lines = source.replaceAll(/\r\n?/g, '\n').replaceAll('\u00a0', ' ').split('\n').slice(0, MAX_LINES)
  const tail = findTail(lines)
  const ownPart = tail ? lines.slice(0, tail.start) : lines
  // Outlook draws a line above the quoted mail.
  while (tail && ownPart.length > 0 && /^\s*(?:_{5,}|-{5,}|)\s*$/.test(ownPart.at(-1)!)) ownPart.pop()
  const { own, quoted } = removeMarked(ownPart)
  const behind = tail ? lines.slice(tail.start).map((line) => line.replace(/^\s{0,3}> ?/, '')) : []
  const quote = join([...quoted, ...behind])
  return {
    text: join(withoutSignature(own)),
    ...(quote !== '' && { quote }),
    ...(tail?.is_forwarded && { is_forwarded: true }),
  }
}
