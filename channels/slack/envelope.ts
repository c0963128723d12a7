import type { ButtonPress, ChannelLink, InboundMessage } from '#plugin-api'
import { readConversation } from './blocks.ts'
import type { Bot } from './identity.ts'
import { type MessageEvent, readMessage } from './message-event.ts'
import { type Messages, type Posted, type Target, toConversationId } from './messages.ts'

/** An item that Slack delivers until it is acknowledged. */
export interface Envelope {
  type: string
  body: unknown
  ack(): Promise<void>
}

/** Creates the handler of envelopes, which stores first and then acknowledges. After a failure Slack delivers again. */
export function createEnvelopeHandler({
  bot,
  link,
  messages,
  signal,
}: {
  bot: Bot
  link: ChannelLink
  messages: Messages
  signal: AbortSignal
}): (envelope: Envelope) => void {
  async function handle({ type, body, ack }: Envelope): Promise<void> {
    if (type === 'interactive') return await press(body as Interaction, ack)
    const message =
      type === 'events_api'
        ? readMessage((body as { event: MessageEvent }).event, bot)
        : type === 'slash_commands'
          ? readSlashCommand(body as SlashCommand)
          : undefined
    if (message) await link.receive(message)
    await ack()
  }

  async function press(body: Interaction, ack: Envelope['ack']): Promise<void> {
    const pressed = readPress(body)
    if (!pressed) return await ack()
    const { message, thread_ts } = pressed
    const { notice, text } = await link.press(pressed.press)
    await ack()
    const user = pressed.press.sender.id
    if (text !== undefined) await messages.replace(message, text, signal)
    else
      await messages.whisper(
        { channel: message.channel, user, ...(thread_ts && { thread_ts }) },
        notice,
        signal,
      )
  }

  return (envelope) => {
    handle(envelope).catch((error) => {
      if (!signal.aborted)
        link.log.warn({ error, type: envelope.type }, 'a Slack envelope could not be handled')
    })
  }
}

/** The subset of a slash command's payload used here. */
interface SlashCommand {
  command?: string
  text?: string
  user_id?: string
  user_name?: string
  channel_id?: string
  trigger_id?: string
}

/** The command that only addresses the bot: the text after it is the message. */
const OWN_COMMAND = '/svc'

/** Reads a slash command as a message. */
function readSlashCommand(body: SlashCommand): InboundMessage | undefined {
  const { command, text = '', user_id, user_name, channel_id, trigger_id } = body
  if (!command || !user_id || !channel_id || !trigger_id) return
  const target: Target = { channel: channel_id, conversation: channel_id }
  return {
    id: `${channel_id}:${trigger_id}`,
    conversation: { id: channel_id, type: channel_id.startsWith('D') ? 'direct' : 'group' },
    sender: { id: user_id, ...(user_name && { name: user_name }) },
    text: command === OWN_COMMAND ? text.trim() || '/help' : `${command} ${text}`.trim(),
    mentioned: true,
    target,
  }
}

/** The subset of an interaction's payload used here. */
interface Interaction {
  type?: string
  user?: { id?: string; username?: string; name?: string }
  channel?: { id?: string }
  container?: { message_ts?: string; channel_id?: string; thread_ts?: string }
  message?: { ts?: string; thread_ts?: string }
  actions?: { type?: string; value?: string; block_id?: string }[]
}

/** A pressed button with its message. */
interface PressedButton {
  press: ButtonPress
  message: Posted
  thread_ts?: string
}

/** Reads a press of one of our buttons; undefined for all other interactions. */
function readPress({
  type,
  user,
  channel,
  container,
  message,
  actions,
}: Interaction): PressedButton | undefined {
  const action = actions?.[0]
  const channelId = channel?.id ?? container?.channel_id
  const ts = container?.message_ts ?? message?.ts
  if (type !== 'block_actions' || action?.type !== 'button') return
  if (!action.value || !user?.id || !channelId || !ts) return
  const thread_ts = message?.thread_ts ?? container?.thread_ts
  const name = user.name ?? user.username
  return {
    press: {
      value: action.value,
      sender: { id: user.id, ...(name && { name }) },
      conversation_id: readConversation(action.block_id) ?? toConversationId(channelId, thread_ts),
    },
    message: { channel: channelId, ts },
    ...(thread_ts && { thread_ts }),
  }
}
