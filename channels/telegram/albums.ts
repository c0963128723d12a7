import type { Message, Update } from 'grammy/types'
import { toConversation } from './places.ts'

/** An album is complete if no part has arrived for this long, in milliseconds. */
const QUIET_MS = 1000
/** The longest wait for an album, in milliseconds. */
const MAX_WAIT_MS = 5000
/** Telegram's limit for the parts of an album. */
const MAX_PARTS = 10

/** The parts of an album that have arrived. */
export interface Album {
  updates: number[]
  messages: Message[]
}

/** Collects the parts of albums, which arrive as separate messages. */
interface Albums {
  /** Adds an update if it is part of an album, else returns false; adding it again changes nothing. */
  add(update: Update): boolean
  /** True if an album in the conversation of an update is still incomplete. */
  blocks(update: Update): boolean
  /** Lists the complete albums. They stay until they are dropped. */
  listReady(): Album[]
  drop(album: Album): void
  /** True if an album was added and not dropped. */
  hasAny(): boolean
}

interface Kept extends Album {
  conversation: string
  begun: number
  grown: number
}

/** Creates an empty collection; `now` returns milliseconds of a monotonic clock. */
export function createAlbums(now: () => number = () => performance.now()): Albums {
  const kept = new Map<string, Kept>()

  return {
    add({ update_id, message }) {
      const conversation = message?.media_group_id && toConversation(message)?.id
      if (!conversation) return false
      const key = `${conversation}:${message.media_group_id}`
      let album = kept.get(key)
      if (!album) {
        album = {
          updates: [],
          messages: [],
          conversation,
          begun: now(),
          grown: now(),
        }
        kept.set(key, album)
      }
      if (album.updates.includes(update_id)) return true
      album.updates.push(update_id)
      album.messages.push(message)
      album.grown = now()
      return true
    },

    blocks({ message }) {
      const conversation = message && toConversation(message)?.id
      return (
        conversation !== undefined && [...kept.values()].some((album) => album.conversation === conversation)
      )
    },

    listReady: () =>
      [...kept.values()].filter(
        ({ messages, grown, begun }) =>
          messages.length >= MAX_PARTS || now() - grown >= QUIET_MS || now() - begun >= MAX_WAIT_MS,
      ),

    drop(album) {
      for (const [key, one] of kept) if (one === album) kept.delete(key)
    },

    hasAny: () => kept.size > 0,
  }
}
