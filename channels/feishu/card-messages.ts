import type { JSONValue, OutboundMessage } from '#plugin-api'
import { isRefusal, toWellFormedJSON } from '#toolbox'
import type { FeishuApi } from './api.ts'
import { createCard } from './card.ts'
import { deliver } from './delivery.ts'
import type { Target } from './inbound-message.ts'
import { MARKUP_REFUSALS } from './refusal-codes.ts'

/** The result of `send`, which `settle` receives. */
type Sent = { message_id: string }

/** Creates the sender of cards, which can have buttons and can be changed. */
export function createCardMessages(api: FeishuApi) {
  /** Makes an attempt with Markdown, and another with plain text if the platform refuses the marks. */
  async function withPlainFallback<Result>(attempt: (plain: boolean) => Promise<Result>): Promise<Result> {
    try {
      return await attempt(false)
    } catch (error) {
      if (!isRefusal(error, MARKUP_REFUSALS)) throw error
      return attempt(true)
    }
  }

  return {
    async send(target: JSONValue, message: OutboundMessage, signal: AbortSignal): Promise<Sent> {
      const { text, key, buttons } = message
      const { conversation_id } = target as Target
      const message_id = await withPlainFallback((plain) => {
        const content = createCard(text, { buttons, conversation_id, plain })
        return deliver(api, target as Target, { msg_type: 'interactive', content, key }, signal)
      })
      return { message_id }
    },

    async settle(sent: JSONValue, text: string, signal: AbortSignal): Promise<void> {
      const path = `im/v1/messages/${encodeURIComponent((sent as Sent).message_id)}`
      await withPlainFallback((plain) =>
        api.call(
          { method: 'PATCH', path, body: { content: toWellFormedJSON(createCard(text, { plain })) } },
          signal,
        ),
      )
    },
  }
}
