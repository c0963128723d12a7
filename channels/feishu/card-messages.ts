import type { JSONValue, OutboundMessage } from '#plugin-api'
import type { FeishuApi } from './api.ts'
import { cardOf } from './card.ts'
import { deliver } from './delivery.ts'
import { isRefusal, MARKUP_REFUSALS } from './failure.ts'
import type { Target } from './inbound-message.ts'

/** What `send` gives to `settle`. */
type Sent = { message_id: string }

/** Sends texts as cards, which can be changed and can have buttons, and changes them. */
export function createCardMessages(api: FeishuApi) {
  /** Does it with the text's marks, and once more without them where the platform cannot make a card of it. */
  async function markedOrPlain<Result>(attempt: (plain: boolean) => Promise<Result>): Promise<Result> {
    try {
      return await attempt(false)
    } catch (error) {
      if (!isRefusal(error, MARKUP_REFUSALS)) throw error
      return attempt(true)
    }
  }

  return {
    async send(target: JSONValue, message: OutboundMessage, signal: AbortSignal): Promise<Sent> {
      const place = target as Target
      const { text, key, buttons } = message
      const { conversation_id } = place
      const message_id = await markedOrPlain((plain) => {
        const content = cardOf(text, { buttons, conversation_id, plain })
        return deliver(api, place, { msg_type: 'interactive', content, key }, signal)
      })
      return { message_id }
    },

    async settle(sent: JSONValue, text: string, signal: AbortSignal): Promise<void> {
      const path = `im/v1/messages/${encodeURIComponent((sent as Sent).message_id)}`
      await markedOrPlain((plain) =>
        api.call(
          { method: 'PATCH', path, body: { content: JSON.stringify(cardOf(text, { plain })) } },
          signal,
        ),
      )
    },
  }
}
