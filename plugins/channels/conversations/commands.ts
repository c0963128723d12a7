const NAMES = ['stop', 'new', 'help', 'approve', 'always', 'reject', 'answer'] as const

/** What a person can order; the first words of a message say it. */
export type CommandName = (typeof NAMES)[number]

/** A command and the words behind it. */
export interface ChatCommand {
  name: CommandName
  rest: string
}

/** What people write in other words, and what platforms send on their own. */
const SYNONYMS: Readonly<Record<string, CommandName>> = {
  start: 'help',
  cancel: 'stop',
  reset: 'new',
  deny: 'reject',
}

/** Those that do not wait for what is being answered. */
const URGENT: readonly CommandName[] = ['stop', 'help', 'approve', 'always', 'reject', 'answer']

/** Reads a command out of a message; undefined where it is none that is known. */
export function parseCommand(text: string): ChatCommand | undefined {
  const [, word, rest = ''] = /^\s*\/([a-z]+)(?:\s+(.*))?$/is.exec(text) ?? []
  if (word === undefined) return undefined
  const said = word.toLowerCase()
  const name = NAMES.find((known) => known === said) ?? SYNONYMS[said]
  return name && { name, rest: rest.trim() }
}

/** Whether a command is carried out while something else is being answered. */
export const isUrgent = ({ name }: ChatCommand): boolean => URGENT.includes(name)
