import type { KeyboardEvent } from 'react'
import type { IconComponent } from '../../ui/icon.tsx'
import type { ListedAgent } from '../use-agent.ts'

/** Something that a beginning in the composer leads to: an action, a saved prompt, an agent, or a file to attach. */
export interface Suggestion {
  /** The word that is typed for it. */
  key: string
  /** Distinguishes it from another one with the same word. */
  id?: string
  label: string
  icon: IconComponent
  /** The agent whose picture is shown instead of the icon, and its description instead of the key. */
  agent?: ListedAgent
  run(): void
}

/** The keys that the suggestions take from the field while they are shown. */
export interface SuggestionKeys {
  /** False if the key is not for them. */
  handleKey(event: KeyboardEvent): boolean
}

/** The typed text that asks for suggestions: the word after `/` at the beginning of the text, or the words after `@`. */
export interface Trigger {
  action?: string
  /** The words between `@` and the caret; the name of an agent may have spaces. */
  mention?: { search: string; start: number }
}

/** The longest name of an agent. */
const MAX_NAME = 64
/** An `@` that begins a word, not one within an address of e-mail. */
const MENTION = /(?<![\w.+-])@([^\n@]*)$/

/** Reads the trigger before the caret; undefined without one. */
export function readTrigger(text: string, caret: number): Trigger | undefined {
  const action = /^\/(\S*)$/.exec(text)?.[1]
  if (action !== undefined) return { action }
  const match = MENTION.exec(text.slice(0, caret))
  const search = match?.[1]
  if (!match || search === undefined || search.length > MAX_NAME) return undefined
  return { mention: { search, start: match.index } }
}
