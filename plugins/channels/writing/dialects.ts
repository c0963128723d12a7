/** How a dialect writes what a text means. Everything handed in is rendered or escaped already, save where it says source. */
export interface Style {
  /** Characters that only stand for themselves. */
  escape(source: string): string
  strong(words: string): string
  emphasis(words: string): string
  deleted(words: string): string
  /** A few characters of code, as source. */
  code(source: string): string
  /** Lines of code, as source. */
  codeBlock(source: string, language: string): string[]
  link(target: string, words: string): string
  /** The lines of a quote, which holds no other one where quotes cannot. */
  quote(lines: string[]): string[]
  nests_quotes: boolean
  /** Lines before which nothing may be written. */
  stands_alone: RegExp
  /** What parts a mark from the letter beside it, where the platform needs it. */
  joint: string
}

const withoutControls = (source: string) =>
  source.replace(/\p{Cc}/gu, (character) => (character === '\n' || character === '\t' ? character : ''))

const escapeAngles = (source: string) =>
  withoutControls(source).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')

const around = (before: string, after: string) => (words: string) =>
  words.trim() === '' ? words : `${before}${words}${after}`

/** Slack's marks must touch a word on their line. */
const aroundLines = (mark: string) => (words: string) =>
  words.replace(/^([^\S\n]*)(\S|\S.*\S)([^\S\n]*)$/gm, `$1${mark}$2${mark}$3`)

const prefixed = (standsAlone: RegExp) => (lines: string[]) =>
  lines.map((line) => (standsAlone.test(line) ? line : `> ${line}`.trimEnd()))

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
  stands_alone: /^<(?:pre|blockquote)>/,
  joint: '',
}

/** Nothing of it may end code or begin a fence. */
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
  stands_alone: /^```/,
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
  stands_alone: /(?!)/,
  joint: '',
}

/** The dialects that have marks of their own. */
export const styles = { html, mrkdwn, plain }
