/** The longest name of a robot that is looked for. */
const MAX_NAME = 64

/** Nothing is learned from a message with more mentions. */
const MAX_MENTIONS = 32

/** A mention of at most three words and a command behind it, for a name that is not known. */
const BEFORE_COMMAND = /^@(\S+(?:[^\S\n]+\S+){0,2}?)\s+(\/[a-z]+(?:\s.*)?)$/is

/** Number of messages from which a name is learned. */
const ENOUGH = 2

/** The options of the remover. */
interface MentionOptions {
  /** The configured name. */
  robot_name?: string
  /** The name that was learned earlier. */
  learned_name?: string
  /** Called with a name that was learned. */
  onLearned?(name: string): void
}

/**
 * Creates the remover. WeCom does not mark mentions, but delivers only messages of a group that mention the robot: its
 * name is what follows an "@" in all of them. A name is used if it is configured, or after two messages with a blank
 * behind it; before, the mention stays in the text, and only a command behind it is recognized.
 */
export function createMentions({ robot_name, learned_name, onLearned }: MentionOptions) {
  // People may enter the name as they mention it.
  const configuredName = robot_name?.trim().replace(/^@\s*/, '')
  /** Texts behind an "@" that begin alike in all messages; the name is the beginning of one of them. */
  let shared = learned_name ? [learned_name] : []
  let messages = learned_name ? ENOUGH : 0
  /** The name, if there is one candidate, and the number of messages in which a blank follows it. */
  let name = learned_name ?? ''
  let endedByBlank = messages
  let reportedName = learned_name

  function learn(text: string): void {
    const mentions = listMentions(text)
    if (mentions.length === 0 || mentions.length > MAX_MENTIONS) return
    const beginnings = shared.map((one) => longest(mentions.map((other) => commonBeginning(one, other))))
    const sharedBeginnings = [...new Set(beginnings)].filter((one) => one.trim() !== '')
    // A robot that was renamed shares nothing with its earlier messages.
    messages = sharedBeginnings.length > 0 ? messages + 1 : 1
    shared = sharedBeginnings.length > 0 ? sharedBeginnings : mentions
    const [candidate = '', ...others] = shared
    const earlierName = name
    name = others.length === 0 ? candidate.trimEnd() : ''
    if (name !== candidate) endedByBlank = messages
    else {
      if (name !== earlierName) endedByBlank = 0
      if (mentions.some((one) => one.startsWith(name) && /^\s/.test(one.slice(name.length))))
        endedByBlank += 1
    }
  }

  /** Returns the name if it is one word; more words may belong to the messages. */
  function findName(): string | undefined {
    if (messages < ENOUGH || endedByBlank < ENOUGH || !/^\S+$/.test(name)) return undefined
    if (name !== reportedName) onLearned?.(name)
    reportedName = name
    return name
  }

  function removeBeforeCommand(text: string): string {
    const [, mention = '', command] = BEFORE_COMMAND.exec(text.trim()) ?? []
    return command !== undefined && shared.some((one) => one.startsWith(mention)) ? command : text
  }

  return {
    /** Removes the mentions of the robot from a message of a group. */
    remove(text: string): string {
      if (!configuredName) learn(text)
      const robotName = configuredName || findName()
      return robotName === undefined ? removeBeforeCommand(text) : removeName(text, robotName)
    },
  }
}

/** Removes the mentions of the robot. */
export type Mentions = ReturnType<typeof createMentions>

const BEHIND_AT = new RegExp(`@(?=([^\\n]{0,${MAX_NAME}}))`, 'g')

/** Lists the texts behind each "@", as long as a name or to the end of the line. */
const listMentions = (text: string): string[] => [...text.matchAll(BEHIND_AT)].map(([, words = '']) => words)

const longest = (texts: readonly string[]): string =>
  texts.reduce((best, text) => (text.length > best.length ? text : best), '')

function commonBeginning(one: string, other: string): string {
  let length = 0
  while (length < one.length && one[length] === other[length]) length += 1
  return one.slice(0, length)
}

/** Removes each mention of a name. */
function removeName(text: string, name: string): string {
  const escaped = name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
  // A Latin letter behind it belongs to a longer name.
  const end = /\w$/.test(name) ? '(?!\\w)' : ''
  return text.replace(new RegExp(`@${escaped}${end}[^\\S\\n]*`, 'gu'), '').trim()
}
