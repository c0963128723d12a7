import type { APIEmbed, APIMessage, APIUser } from 'discord-api-types/v10'
import type { InboundFile } from '#plugin-api'
import type { AttachmentReference } from './attachment.ts'
import type { GuildView } from './guilds.ts'

/** The subset of a message that has content: also a message that is forwarded, which has no author. */
export type ContentParts = Partial<
  Pick<
    APIMessage,
    'content' | 'embeds' | 'poll' | 'sticker_items' | 'components' | 'attachments' | 'activity'
  >
> & {
  /** Mentioned users; messages of the gateway include their names in the server. */
  mentions?: (APIUser & { member?: { nick?: string | null } })[]
}

/** Returns the name that people see in the server. */
export const nameOf = ({ global_name, username }: APIUser, nick?: string | null): string =>
  nick || global_name || username

/** Returns the text of a message, with names for mentions, and a description of the content that is not text. */
export function describeContent(message: ContentParts, guild: GuildView): string {
  const { content = '', sticker_items: stickers = [], poll, activity, embeds = [], components = [] } = message
  const shown = [
    nameMentions(content, message.mentions ?? [], guild),
    ...stickers.map(({ name }) => `[sticker: ${name}]`),
    poll ? describePoll(poll) : '',
    activity ? '[invitation to an activity]' : '',
  ]
  // The embeds of a text only preview its links.
  const described = shown.some(Boolean) ? [] : [...embeds.map(describeEmbed), ...listTexts(components)]
  return [...shown, ...described].filter(Boolean).join('\n')
}

/** Returns the files of a message; `of` is the message from which an expired address can be renewed. */
export const listFiles = (
  { attachments = [] }: ContentParts,
  of: { channel_id: string; message_id: string },
): InboundFile[] =>
  attachments.map(({ id, filename, content_type, size, url }) => {
    const reference: AttachmentReference = { url, ...of, attachment_id: id }
    return { filename, size, ...(content_type && { media_type: content_type }), reference: { ...reference } }
  })

/** Replaces Discord's marks for people, roles, channels, commands, emoji and times by what people see. */
function nameMentions(text: string, mentions: NonNullable<ContentParts['mentions']>, { names }: GuildView) {
  const people = new Map(mentions.map((user) => [user.id, nameOf(user, user.member?.nick)]))
  const named = (whole: string, sign: string, name: string | undefined) => (name ? sign + name : whole)
  return text
    .replace(/<@!?([^<>\s]+)>/g, (whole, id) => named(whole, '@', people.get(id)))
    .replace(/<@&(\d+)>/g, (whole, id) => named(whole, '@', names.get(id)))
    .replace(/<#(\d+)>/g, (whole, id) => named(whole, '#', names.get(id)))
    .replace(/<(\/[^:<>\n]+):\d+>/g, '$1')
    .replace(/<a?(:\w+:)\d+>/g, '$1')
    .replace(/<t:(-?\d{1,11})(?::[a-zA-Z])?>/g, (_whole, seconds) => new Date(seconds * 1000).toISOString())
}

function describePoll({ question, answers }: NonNullable<ContentParts['poll']>): string {
  const options = answers.map(({ poll_media }) => poll_media.text ?? poll_media.emoji?.name ?? '')
  return `[poll: ${question.text ?? ''} ${options.join(' / ')}]`
}

function describeEmbed({ author, title, url, description, fields = [], footer }: APIEmbed): string {
  const heading = title && url ? `[${title}](${url})` : (title ?? url)
  const rows = fields.map(({ name, value }) => `${name}: ${value}`)
  return [author?.name, heading, description, ...rows, footer?.text].filter(Boolean).join('\n')
}

/** The fields of a message component that hold text or other components. */
interface ComponentParts {
  content?: string
  label?: string
  components?: ComponentParts[]
}

/** Lists the texts and labels in components, of which a message can consist. */
function listTexts(components: readonly unknown[]): string[] {
  return (components as ComponentParts[]).flatMap(({ content, label, components: inner = [] }) => [
    ...(content ? [content] : []),
    ...(label ? [`[${label}]`] : []),
    ...listTexts(inner),
  ])
}
