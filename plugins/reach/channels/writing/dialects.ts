import type { ChannelCapabilities, Dialect } from '#plugin-api'

/** The dialect and the maximum length of a message. */
export type Limits = Pick<ChannelCapabilities, 'dialect' | 'max_length' | 'length_unit'>

/** Measures a text in a unit. */
export function measure(unit: Limits['length_unit'], text: string): number {
  return unit === 'bytes' ? Buffer.byteLength(text) : text.length
}

const ESCAPED: Record<string, number> = { '&': 5, '<': 4, '>': 4 }

/** Returns the maximum length of one character when it is escaped. */
export function measureEscaped(character: string, { dialect, length_unit }: Limits): number {
  if (isEscaping(dialect)) {
    const escaped = ESCAPED[character]
    if (escaped) return escaped
    // Runs of backticks are broken by a zero-width space, so that they do not begin a block of code.
    if (character === '`' && dialect === 'mrkdwn') return 1 + measure(length_unit, '\u200b')
  }
  if (character === '`' && dialect === 'whatsapp') return 1 + measure(length_unit, '\u200b')
  return measure(length_unit, character)
}

/** Returns the maximum length of a text when it is escaped. */
export function measureAllEscaped(text: string, limits: Limits): number {
  let cost = 0
  for (const character of text) cost += measureEscaped(character, limits)
  return cost
}

const isEscaping = (dialect: Dialect) => dialect === 'html' || dialect === 'mrkdwn'

/** The syntax of a dialect. Arguments are rendered or escaped already, unless they are named `source`. */
export interface Style {
  /** Escapes text without marks. */
  escape(source: string): string
  strong(words: string): string
  emphasis(words: string): string
  deleted(words: string): string
  /** Writes inline code. */
  code(source: string): string
  /** Writes a block of code. */
  codeBlock(source: string, language: string): string[]
  link(target: string, words: string): string
  /** Writes a quote; without `nests_quotes` the lines contain no other quote. */
  quote(lines: string[]): string[]
  nests_quotes: boolean
  /** Lines that must begin at the margin, without a bullet, a quote mark or spaces before them. */
  unindentable: RegExp
  /** Separates a mark from an adjacent letter, if the platform needs that. */
  joint: string
}

const withoutControls = (source: string) =>
  source.replace(/\p{Cc}/gu, (character) => (character === '\n' || character === '\t' ? character : ''))

const escapeAngles = (source: string) =>
  withoutControls(source).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')

const around = (opening: string, after: string) => (words: string) =>
  words.trim() === '' ? words : `${opening}${words}${after}`

/** Slack's marks must be adjacent to a word and cannot span lines. */
const aroundLines = (mark: string) => (words: string) =>
  words.replace(/^([^\S\n]*)(\S|\S.*\S)([^\S\n]*)$/gm, `$1${mark}$2${mark}$3`)

const prefixed = (unindentable: RegExp) => (lines: string[]) =>
  lines.map((line) => (unindentable.test(line) ? line : `> ${line}`.trimEnd()))

const html: Style = {
  escape: escapeAngles,
  strong: around('<b>', '</b>'),
  emphasis: around('<i>', '</i>'),
  deleted: around('<s>', '</s>'),
  code: (source) => `<code>${escapeAngles(source)}</code>`,
  codeBlock(source, language) {
    const code = escapeAngles(source)
    if (!/^[\w+#.-]{1,40}$/.test(language)) return [`<pre>${code}</pre>`]
    return [`<pre><code class="language-${language}">${code}</code></pre>`]
  },
  link: (target, words) => `<a href="${escapeAngles(target)}">${words}</a>`,
  quote: (lines) => [`<blockquote>${lines.join('\n')}</blockquote>`],
  nests_quotes: false,
  unindentable: /^<(?:pre|blockquote)>/,
  joint: '',
}

/** Breaks runs of three backticks, which would begin or end a block of code. */
const withoutFences = (source: string) => source.replace(/``(?=`)/g, '``\u200b')

const mrkdwn: Style = {
  escape: (source) => escapeAngles(withoutFences(source)),
  strong: aroundLines('*'),
  emphasis: aroundLines('_'),
  deleted: aroundLines('~'),
  code: (source) => `\`${escapeAngles(source.replace(/`/g, 'ˋ'))}\``,
  codeBlock: (source) => [`\`\`\`\n${escapeAngles(withoutFences(source))}\n\`\`\``],
  link: (target, words) => `<${escapeAngles(target)}|${words.replace(/[\n|]/g, ' ')}>`,
  quote: prefixed(/^```/),
  nests_quotes: true,
  unindentable: /^```/,
  joint: '\u200b',
}

const plain: Style = {
  escape: withoutControls,
  strong: (words) => words,
  emphasis: (words) => words,
  deleted: (words) => words,
  code: withoutControls,
  codeBlock: (source) => withoutControls(source).split('\n'),
  link: (target, words) =>
    target.replace(/^(?:mailto:|tel:|https?:\/\/)/, '') === words || target === words
      ? words
      : `${words} (${target})`,
  quote: prefixed(/(?!)/),
  nests_quotes: true,
  unindentable: /(?!)/,
  joint: '',
}

/** WhatsApp has no escapes and no links with words of their own. */
const whatsapp: Style = {
  ...plain,
  escape: (source) => withoutControls(withoutFences(source)),
  strong: aroundLines('*'),
  emphasis: aroundLines('_'),
  deleted: aroundLines('~'),
  code: (source) => `\`${withoutControls(source.replace(/`/g, 'ˋ'))}\``,
  codeBlock: (source) => [`\`\`\`\n${withoutControls(withoutFences(source))}\n\`\`\``],
  quote: prefixed(/^```/),
  unindentable: /^```/,
  joint: '\u200b',
}

/** The dialects with a syntax of their own. */
export const styles = { html, mrkdwn, whatsapp, plain }
