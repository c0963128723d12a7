/** What a person wrote, in words. */
export interface ReadText {
  text: string
  mentioned: boolean
}

/**
 * Reads Slack's own markup: mentions of the bot are cut out, links become `[text](url)`, names stand where they are
 * known, and entities become characters again. People whose name is not known keep their id, as `<@U…>`.
 */
export function readText(
  written: string,
  botId: string,
  names: Readonly<Record<string, string>> = {},
): ReadText {
  let mentioned = false
  const withoutBot = written.replace(/[ \t]*<@([^|>]+)(?:\|[^>]*)?>([ \t]*)/g, (whole, id, after) => {
    if (id !== botId) return whole
    mentioned = true
    return after && ' '
  })
  const text = withoutBot
    .replace(/<([^<>\n]+)>/g, (whole, token: string) => readToken(token, names) ?? whole)
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
  return { text: mentioned ? text.trim().replace(/^[:,]\s*/, '') : text.trim(), mentioned }
}

/** What stands between angle brackets: `@user`, `#channel`, `!command`, or a link, each with a label or without. */
function readToken(token: string, names: Readonly<Record<string, string>>): string | undefined {
  const bar = token.indexOf('|')
  const subject = bar < 0 ? token : token.slice(0, bar)
  const label = bar < 0 ? '' : token.slice(bar + 1)
  const rest = subject.slice(1)
  switch (subject[0]) {
    case '@':
      return prefixed('@', label || names[rest])
    case '#':
      return prefixed('#', label)
    case '!':
      return label || (/^(here|channel|everyone)$/.test(rest) ? `@${rest}` : undefined)
    default:
      return readLink(subject, label)
  }
}

const prefixed = (sign: string, name: string | undefined) => name && sign + name.replace(/^[@#]/, '')

function readLink(url: string, label: string): string {
  // Slack makes links of addresses in a text, whose label is what was written.
  if (!label || url.replace(/^(mailto:|tel:|https?:\/\/)/, '').replace(/\/$/, '') === label)
    return label || url
  return url === label ? url : `[${label}](${url})`
}
