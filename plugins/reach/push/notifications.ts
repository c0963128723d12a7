import { AppError, type Locale } from '#plugin-api'
import type { MessageDocument, ThreadDocument } from '../../conversations/chat/documents.ts'
import type { Cradle } from './manifest.ts'
import { say } from './phrases.ts'
import { describeRequests, shorten } from './request-text.ts'
import type { NoticeDocument } from './types.ts'

/** The most characters of a notification's title. */
const MAX_TITLE = 80

/** A button of a notification. */
interface Action {
  action: 'approve' | 'deny'
  title: string
}

/** The payload of a push message: the service worker of the console shows it as it is. */
export interface Notification {
  title: string
  body: string
  /** The page that it opens. */
  path: string
  /** A notification replaces an earlier one with the same tag. */
  tag: string
  lang: Locale
  actions?: Action[]
  /** Decides the approval; see `decisions.ts`. */
  token?: string
  /** The text that replaces the notification if a decision cannot be sent. */
  not_sent?: string
}

/** Returns the address of the page of a conversation. */
export const pathOf = ({ agent_id, thread_id }: Pick<NoticeDocument, 'agent_id' | 'thread_id'>): string =>
  `/chat/${agent_id}/${thread_id}`

/** Describes facts for people. */
export type Notifications = ReturnType<typeof createNotifications>

/** Creates the descriptions. */
export function createNotifications(cradle: Cradle) {
  const { agents, chat, extensions, history, ledgerReader, threads } = cradle

  const findThread = async ({ user_id, agent_id, thread_id }: NoticeDocument) => {
    try {
      return await threads.get({ user_id, agent_id }, thread_id)
    } catch (error) {
      if (error instanceof AppError && error.code === 'THREAD_NOT_FOUND') return null
      throw error
    }
  }

  const describeApproval = async (
    { subject_id }: NoticeDocument,
    { thread, agent, lang }: { thread: ThreadDocument; agent: string; lang: Locale },
  ) => {
    const pending = await chat.readPending(thread)
    const isOpen =
      pending?.pending_id === subject_id && !pending.action_requests.some(({ for_client }) => for_client)
    if (!isOpen) return null
    const labelOf = (name: string) => extensions['agents.tools'].get(name)?.label
    const { decisions, ...text } = describeRequests(pending, { agent, locale: lang, labelOf })
    const actions = decisions.map((action) => ({ action, title: say(action, lang) }))
    return {
      ...text,
      tag: subject_id,
      ...(actions.length > 0 && { actions, not_sent: say('not_sent', lang) }),
    }
  }

  const describeEnd = async (
    { kind, subject_id: turn_id, thread_id }: NoticeDocument,
    { thread, agent, lang }: { thread: ThreadDocument; agent: string; lang: Locale },
  ) => {
    const { events } = await ledgerReader.page(thread_id, { turn_id, limit: 1 })
    const last = events.at(-1)
    if (last?.type !== 'done' && last?.type !== 'error') return null
    const named = thread.title || say('untitled', lang)
    if (last.type === 'error') {
      const title = say(kind === 'schedule' ? 'schedule_failed' : 'failed', lang, { title: named })
      return { title, body: shorten(last.frame.message), tag: thread_id }
    }
    const { messages } = await history.page(thread, { limit: 1, offset: 0 })
    const answer = shorten(toPlainText(messages.find((message) => message.turn_id === turn_id)))
    return {
      title: kind === 'schedule' ? say('schedule_done', lang, { title: named }) : named,
      body: answer || say('answered', lang, { agent }),
      tag: thread_id,
    }
  }

  return {
    /** Describes a fact in a language; null if nobody needs to know it any more. */
    async describe(notice: NoticeDocument, lang: Locale): Promise<Notification | null> {
      const thread = await findThread(notice)
      if (!thread) return null
      const agent = (await agents.find(notice.agent_id))?.name ?? ''
      const describe = notice.kind === 'approval' ? describeApproval : describeEnd
      const text = await describe(notice, { thread, agent, lang })
      return (
        text && { ...text, title: text.title.slice(0, MAX_TITLE).toWellFormed(), path: pathOf(notice), lang }
      )
    },
  }
}

/** Returns the text of an answer without the marks of Markdown that a notification would show. */
function toPlainText(message: MessageDocument | undefined): string {
  const texts = message?.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])) ?? []
  return texts
    .join(' ')
    .replace(/^\s*(#{1,6}|>|[-*+])\s+/gm, '')
    .replace(/\*\*|__|`+/g, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
}
