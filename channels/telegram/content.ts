import type { Checklist, ExternalReplyInfo, Location, Message, MessageEntity, Poll } from 'grammy/types'
import { describeInBrackets, type InboundFile } from '#plugin-api'
import { listFiles, listStickers } from './files.ts'
import { readRichMessage } from './rich-message.ts'

/** The content of a message in words and files. */
export interface Content {
  text: string
  /** Telegram's marks in the text. */
  entities: readonly MessageEntity[]
  files: InboundFile[]
  /** Names content that can be turned into neither words nor files. */
  unreadable?: string
}

/** A message, or what Telegram tells of a message in another chat. */
type Source = Partial<Message> | ExternalReplyInfo

/** Reads the content of a message; a place, a contact, a poll and the like are described in brackets. */
export function readContent(source: Source): Content {
  const { text, caption, entities, caption_entities, rich_message } = source as Partial<Message>
  const rich = rich_message && readRichMessage(rich_message)
  const words = rich?.text ?? text ?? caption ?? ''
  const description = describe(source) ?? ''
  const files = [source, ...(rich?.media ?? []), ...listPaidMedia(source)].flatMap(listFiles)
  // The emoji of a sticker says what it shows.
  if (!source.sticker?.emoji) files.push(...listStickers(source))
  const unreadable = source.story ? 'story' : source.sticker ? 'sticker' : undefined
  return {
    text: [words, description].filter((part) => part !== '').join('\n'),
    entities: rich?.entities ?? entities ?? caption_entities ?? [],
    files,
    ...(unreadable && words === '' && description === '' && files.length === 0 && { unreadable }),
  }
}

const listPaidMedia = ({ paid_media }: Source): Source[] =>
  (paid_media?.paid_media ?? []).filter((media) => media.type !== 'preview')

/** Describes content that has no text; undefined if there is none. */
function describe(source: Source): string | undefined {
  const { venue, location, contact, poll, dice, game, sticker, invoice, paid_media } = source
  const { checklist, giveaway, giveaway_winners } = source
  const { gift, unique_gift } = source as Partial<Message>
  if (venue)
    return inBrackets('place', [venue.title, venue.address, toCoordinates(venue.location)].join(', '))
  if (location)
    return inBrackets(location.live_period ? 'live location' : 'location', toCoordinates(location))
  if (contact)
    return inBrackets('contact', `${toName(contact.first_name, contact.last_name)}, ${contact.phone_number}`)
  if (poll) return inBrackets(poll.type === 'quiz' ? 'quiz' : 'poll', toPollText(poll))
  if (dice) return inBrackets('dice', `${dice.emoji} ${dice.value}`)
  if (game) return inBrackets('game', `${game.title}. ${game.description ?? ''}`)
  if (sticker?.emoji) return sticker.emoji
  if (checklist) return inBrackets('checklist', toChecklistText(checklist))
  if (invoice) return inBrackets('invoice', `${invoice.title}. ${invoice.description}`)
  if (giveaway) return inBrackets('giveaway', `${giveaway.winner_count} winners`)
  if (giveaway_winners) return inBrackets('winners of a giveaway', `${giveaway_winners.winner_count}`)
  if (gift || unique_gift) return inBrackets('gift', (gift ?? unique_gift)?.text ?? '')
  if (paid_media) return inBrackets('paid media', `${paid_media.star_count} stars`)
}

const inBrackets = (name: string, words: string): string => describeInBrackets(name, [words]) || `[${name}]`

const toCoordinates = ({ latitude, longitude }: Location) => `${latitude}, ${longitude}`

const toName = (first_name: string, last_name = '') => `${first_name} ${last_name}`.trim()

const toPollText = ({ question, options }: Poll) =>
  [question, ...options.map(({ text }, index) => `(${index + 1}) ${text}`)].join(' ')

const toChecklistText = ({ title, tasks }: Checklist) =>
  [title, ...tasks.map(({ text, completion_date }) => `(${completion_date ? 'done' : 'open'}) ${text}`)].join(
    ' ',
  )
