import { type Conversation, textOf } from './conversation.ts'
import type { Message } from './frames.ts'
import { shorten } from './printable.ts'
import type { Questions } from './questions.ts'
import type { SlashCommand } from './slash-command.ts'
import type { View } from './view.ts'

const TEXT_COLUMNS = 60
const COUNT = /^[1-9]\d{0,3}$/
const VERSIONS = '/versions [question|answer] [N]'

/** Creates the commands that change messages and answers, and choose between their versions. */
export const createVersionCommands = ({
  conversation,
  questions,
  view,
}: {
  conversation: Conversation
  questions: Questions
  view: View
}): Record<string, SlashCommand> => {
  const choose = async (messages: Message[], part: string, number: number) => {
    const branched = messages.filter(({ versions }) => versions)
    const candidates = part ? branched.filter((message) => nameOf(message) === part) : branched
    const message = candidates.at(-1)
    if (!message) {
      view.note(
        `The last ${part || 'question and its answer'} has one version. /edit and /retry make another one.`,
      )
      return undefined
    }
    const id = message.versions![number - 1]
    if (id !== undefined) return conversation.chooseVersion(id)
    view.note(
      `The last ${nameOf(message)} has ${message.versions!.length} versions; there is no number ${number}.`,
    )
    return undefined
  }

  return {
    edit: {
      usage: '/edit [N]',
      summary: 'change your last message, or the Nth from the end, and send it again',
      async run(argument) {
        if (argument && !COUNT.test(argument)) {
          view.note('Which message? /edit changes the last one, /edit 2 the one before it.')
          return undefined
        }
        const number = Number(argument || 1)
        const message = await conversation.findMessage(number)
        if (typeof message === 'number') {
          view.note(
            message === 0
              ? 'There is no message of yours to edit yet.'
              : `This thread has only ${message} of your messages. /edit ${message} changes the first one.`,
          )
          return undefined
        }
        if (message.hasCalls) view.note('Tools already ran after this message. Their changes are kept.')
        const text = await questions.edit('new text', message.text)
        if (text?.trim()) return message.send(text.trimEnd())
        view.note('Nothing was sent; the message is unchanged.')
        return undefined
      },
    },
    retry: {
      usage: '/retry [MODEL]',
      summary: 'get another answer to your last message, from another model if you name one',
      async run(argument) {
        const outcome = await conversation.retry(argument || undefined)
        if (!outcome) view.note('There is no message to answer yet.')
        return outcome
      },
    },
    versions: {
      usage: VERSIONS,
      summary: 'show how many versions the last question and answer have, or change to the Nth',
      async run(argument) {
        const [, part = '', digits = ''] = /^(question|answer)?\s*(\d{0,4})$/.exec(argument) ?? []
        if (argument && !Number(digits)) {
          view.note(`Which version? ${VERSIONS}, such as /versions 1 or /versions question 2.`)
          return undefined
        }
        const messages = await conversation.readLastExchange()
        if (digits) return choose(messages, part, Number(digits))
        if (messages.length === 0) view.note('There are no messages yet.')
        for (const message of messages) view.line(describeVersion(message))
        if (messages.some(({ versions }) => versions)) view.note(`Change to another one: ${VERSIONS}`)
        return undefined
      },
    },
  }
}

const nameOf = ({ role }: Message) => (role === 'user' ? 'question' : 'answer')

const describeVersion = (message: Message) => {
  const { id, versions = [id] } = message
  const position = `${versions.indexOf(id) + 1}/${versions.length}`
  return `${nameOf(message).padEnd(8)}  ${position}  ${shorten(textOf(message), TEXT_COLUMNS)}`
}
