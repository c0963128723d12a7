import type { Message, Update } from 'grammy/types'
import { conversationOf } from './places.ts'

/** Parts of an album that come within this time of each other belong together, in milliseconds. */
const QUIET_MS = 1000
/** An album is not waited for longer than this. */
const LONGEST_MS = 5000
/** No album has more parts. */
const MAX_PARTS = 10

/** An album that is whole, or as whole as it will be. */
export interface Album {
  updates: number[]
  messages: Message[]
}

/** Keeps the parts of albums, which come as messages of their own, until all are there. */
export interface Albums {
  /** Keeps an update where it is part of an album; it may be given again. */
  keep(update: Update): boolean
  /** Whether an update comes after an album that is still waited for in its conversation. */
  holdsBack(update: Update): boolean
  /** The albums that need not be waited for any longer. They stay until they are dropped. */
  ready(): Album[]
  drop(album: Album): void
  /** Whether there are any. */
  waiting(): boolean
}

interface Kept extends Album {
  conversation: string
  begun: number
  grown: number
}

/** Creates the shelf; `now` gives milliseconds that never go back. */
export function createAlbums(now: () => number = () => performance.now()): Albums {
  const kept = new Map<string, Kept>()

  return {
    keep({ update_id, message }) {
      const conversation = message?.media_group_id && conversationOf(message)?.id
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

    holdsBack({ message }) {
      const conversation = message && conversationOf(message)?.id
      return (
        conversation !== undefined && [...kept.values()].some((album) => album.conversation === conversation)
      )
    },

    ready: () =>
      [...kept.values()].filter(
        ({ messages, grown, begun }) =>
          messages.length >= MAX_PARTS || now() - grown >= QUIET_MS || now() - begun >= LONGEST_MS,
      ),

    drop(album) {
      for (const [key, one] of kept) if (one === album) kept.delete(key)
    },

    waiting: () => kept.size > 0,
  }
}
