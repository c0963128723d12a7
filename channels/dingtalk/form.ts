import type { Button } from '#plugin-api'
import { pressLink } from './press.ts'

/** A message in the two ways to write it: for the address for answers, if it takes such a message, and for the API. */
export interface Form {
  webhook?: object
  msgKey: string
  msgParam: Record<string, string>
}

/** Characters of a title, which is what notifications and lists of conversations show. */
const MAX_TITLE = 30

/** Characters on a button. */
const MAX_LABEL = 20

/** Buttons of a card; there is a sort of card for each number. */
const MAX_BUTTONS = 5

/** The first words of a text without its marks. */
export function titleOf(text: string): string {
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

/** A message without marks. */
export const plainForm = (text: string): Form => ({ msgKey: 'sampleText', msgParam: { content: text } })

/** A message in Markdown. */
export function markdownForm(text: string): Form {
  const title = titleOf(text)
  return {
    webhook: { msgtype: 'markdown', markdown: { title, text } },
    msgKey: 'sampleMarkdown',
    msgParam: { title, text },
  }
}

/** A message with buttons: a card, or where there are too many for one, Markdown with links. */
export function buttonForm(text: string, buttons: readonly Button[]): Form {
  const links = buttons.map(({ label, value }) => ({
    title: shorten(label, MAX_LABEL),
    actionURL: pressLink(value),
  }))
  if (links.length > MAX_BUTTONS)
    return markdownForm(
      `${text}\n\n${links.map((link) => `- [${link.title}](${link.actionURL})`).join('\n')}`,
    )
  const title = titleOf(text)
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
