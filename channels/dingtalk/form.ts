import type { Button } from '#plugin-api'

/** A link that makes the client send a text to the robot as if the person had typed it. */
const SEND_MESSAGE = 'dtmd://dingtalkclient/sendMessage?content='

const PRESS = /^\/press[ +]([\w:-]{1,40})$/

/** Returns the link of a button. The client reads a space as `+`. */
function pressLink(value: string): string {
  return SEND_MESSAGE + encodeURIComponent(`/press ${value}`).replaceAll('%20', '+')
}

/** Returns the value of the button that sent this text; undefined for other texts. */
export const readPressedValue = (text: string) => PRESS.exec(text)?.[1]

/** A message in its two forms: `webhook` for the reply webhook, if it accepts this type, and the rest for the API. */
export interface Form {
  webhook?: object
  msgKey: string
  msgParam: Record<string, string>
}

/** Characters of a title, which notifications and lists of conversations show. */
const MAX_TITLE = 30

/** Characters on a button. */
const MAX_LABEL = 20

/** Buttons of a card; each number of buttons has a card type of its own. */
const MAX_BUTTONS = 5

/** Returns the first words of a text without marks. */
export function toTitle(text: string): string {
  const line = text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .split('\n')
    .map((one) => one.replace(/^[\s>#*+-]+|[*_`~]+/g, '').trim())
    .find(Boolean)
  return shorten(line ?? 'Message', MAX_TITLE)
}

function shorten(text: string, limit: number): string {
  const letters = [...text]
  return letters.length > limit
    ? `${letters
        .slice(0, limit - 1)
        .join('')
        .trimEnd()}…`
    : text
}

/** Creates a message without marks. */
export const plainForm = (text: string): Form => ({ msgKey: 'sampleText', msgParam: { content: text } })

/** Creates a message in Markdown. */
export function markdownForm(text: string): Form {
  const title = toTitle(text)
  return {
    webhook: { msgtype: 'markdown', markdown: { title, text } },
    msgKey: 'sampleMarkdown',
    msgParam: { title, text },
  }
}

/** Creates a message with buttons: a card, or Markdown with links if there are too many for a card. */
export function buttonForm(text: string, buttons: readonly Button[]): Form {
  const links = buttons.map(({ label, value }) => ({
    title: shorten(label, MAX_LABEL),
    actionURL: pressLink(value),
  }))
  if (links.length > MAX_BUTTONS)
    return markdownForm(
      `${text}\n\n${links.map((link) => `- [${link.title}](${link.actionURL})`).join('\n')}`,
    )
  const title = toTitle(text)
  const [first] = links
  return {
    webhook: { msgtype: 'actionCard', actionCard: { title, text, btnOrientation: '0', btns: links } },
    ...(links.length === 1
      ? {
          msgKey: 'sampleActionCard',
          msgParam: { title, text, singleTitle: first!.title, singleURL: first!.actionURL },
        }
      : {
          msgKey: `sampleActionCard${links.length}`,
          msgParam: {
            title,
            text,
            ...Object.fromEntries(
              links.flatMap((link, n) => [
                [`actionTitle${n + 1}`, link.title],
                [`actionURL${n + 1}`, link.actionURL],
              ]),
            ),
          },
        }),
  }
}
