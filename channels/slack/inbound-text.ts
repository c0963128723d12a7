/** The text of a message without Slack's markup. */
interface ReadText {
  text: string
  mentioned: boolean
}

/** Matches a mention with the blanks around it; each run of blanks and each `<` is tried only once. */
const MENTION = /(?:(?<![ \t])[ \t]+)?<@([^|<>]+)(?:\|[^<>]*)?>([:,](?=\s|$))?([ \t]*)/g

/**
 * Reads Slack's own markup: removes mentions of the bot, turns links into `[text](url)` and mentions of people into
 * their names if known, and decodes entities. People with an unknown name keep their id, as `<@U…>`. In a shared message,
 * the mention of the bot is one of a person like others.
 */
export function readText(
  written: string,
  botId: string,
  {
    names = {},
    keepsMention = false,
  }: { names?: Readonly<Record<string, string>>; keepsMention?: boolean } = {},
): ReadText {
  let mentioned = false
  const firstWord = written.search(/\S/)
  const withoutBot = written.replace(MENTION, (whole, id, mark = '', after, offset) => {
    if (id !== botId || keepsMention) return whole
    mentioned = true
    // Behind the address of a message, "Bot:" and "Bot," belong to the mention.
    return offset <= firstWord ? '' : mark + (after && ' ')
  })
  const text = withoutBot
    .replace(/<([^<>\n]+)>/g, (whole, token: string) => readToken(token, names) ?? whole)
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
  return { text: text.trim(), mentioned }
}

/** Reads the text between angle brackets: `@user`, `#channel`, `!command` or a link, each with or without a label. */
function readToken(token: string, names: Readonly<Record<string, string>>): string | undefined {
  const bar = token.indexOf('|')
  const subject = bar < 0 ? token : token.slice(0, bar)
  const label = bar < 0 ? '' : token.slice(bar + 1)
  const id = subject.slice(1)
  switch (subject[0]) {
    case '@':
      return prefixed('@', label || names[id])
    case '#':
      return prefixed('#', label)
    case '!':
      return label || (/^(here|channel|everyone)$/.test(id) ? `@${id}` : undefined)
    default:
      return readLink(subject, label)
  }
}

const prefixed = (sign: string, name: string | undefined) =>
  name ? sign + name.replace(/^[@#]/, '') : undefined

function readLink(url: string, label: string): string {
  // Slack turns written addresses into links whose label is the written text.
  if (!label || url.replace(/^(mailto:|tel:|https?:\/\/)/, '').replace(/\/$/, '') === label)
    return label || url
  return url === label ? url : `[${label}](${url})`
}
