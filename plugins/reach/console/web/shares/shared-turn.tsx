import { memo, useState } from 'react'
import { Markdown } from '../chat/markdown/markdown.tsx'
import { CallView } from '../chat/messages/call-view.tsx'
import { FoldedSteps } from '../chat/messages/folded-steps.tsx'
import { listParts } from '../chat/messages/parts.ts'
import replyClasses from '../chat/messages/reply.module.css'
import { listSources, SourcesContext } from '../chat/messages/sources.ts'
import endClasses from '../chat/messages/turn-end.module.css'
import { END_WORDS } from '../chat/messages/turn-end.tsx'
import TurnSources from '../chat/messages/turn-sources.tsx'
import userClasses from '../chat/messages/user-message.module.css'
import { readText } from '../chat/store/thread-store.ts'
import { createTurn, type Message, type Turn } from '../chat/store/thread-view.ts'
import { t } from '../i18n/words.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { listSharedFiles, type SharedConversation } from './read-shared.ts'
import { SharedFiles } from './shared-files.tsx'

type SharedMessage = SharedConversation['messages'][number]

/** A question and its answer in a shared conversation. */
export interface SharedTurnData {
  id: string
  messages: SharedMessage[]
}

/** Groups messages by their turns, which follow each other. */
export function toSharedTurns({ messages }: SharedConversation): SharedTurnData[] {
  const turns: SharedTurnData[] = []
  for (const message of messages) {
    const last = turns.at(-1)
    if (last?.id === message.turn_id) last.messages.push(message)
    else turns.push({ id: message.turn_id, messages: [message] })
  }
  return turns
}

/** Returns the turn as the components of the chat read it; its files are shown from the shared messages. */
const toTurn = ({ id, messages }: SharedTurnData): Turn =>
  createTurn(
    id,
    messages.map(({ artifacts: _, ...message }) => message as Message),
  )

/** A message of the user and the answer, as in the chat, without the actions on them. */
export const SharedTurn = memo(function SharedTurn({ data }: { data: SharedTurnData }) {
  const turn = toTurn(data)
  const questions = data.messages.filter(({ role }) => role === 'user')
  return (
    <>
      {questions.map((message) => {
        const text = readText(message.content)
        const files = listSharedFiles({ messages: [{ ...message, artifacts: [] }] } as never)
        return (
          <div key={message.id} className={userClasses.line}>
            <SharedFiles files={files} size="small" align="end" />
            {text && <div className={userClasses.bubble}>{text}</div>}
          </div>
        )
      })}
      <SharedReply data={data} turn={turn} />
    </>
  )
})

function SharedReply({ data, turn }: { data: SharedTurnData; turn: Turn }) {
  const [isOpen, setOpen] = useState(false)
  const answers = data.messages.filter(({ role }) => role !== 'user')
  const parts = listParts(turn)
  const sources = listSources(turn)
  const hasSteps = parts.some(({ type }) => type === 'call')
  const shown = isOpen ? parts : parts.filter(({ type }) => type === 'text')
  const files = [
    ...new Map(
      data.messages.flatMap(({ artifacts = [] }) => artifacts).map((file) => [file.path, file]),
    ).values(),
  ]
  const text = answers
    .map(({ content, role }) => (role === 'assistant' ? readText(content) : ''))
    .filter(Boolean)
  const end = answers.findLast(({ role }) => role === 'assistant')
  const reason = end?.status === 'stopped' ? 'stopped' : end?.stop_reason
  if (answers.length === 0) return null
  return (
    <article className={replyClasses.reply} aria-label={t('chat.reply')}>
      {hasSteps && (
        <FoldedSteps turn={turn} parts={parts} isOpen={isOpen} onToggle={() => setOpen(!isOpen)} />
      )}
      <SourcesContext value={sources}>
        {shown.map((part) =>
          part.type === 'call' ? (
            <CallView key={part.key} call={part.call} isActive={false} />
          ) : (
            <Markdown key={part.key} text={part.text} />
          ),
        )}
      </SourcesContext>
      {sources.length > 0 && <TurnSources turn={turn} />}
      <div className={endClasses.files}>
        <SharedFiles files={files} size="large" align="start" />
      </div>
      {reason !== undefined && reason !== 'end' && (
        <div className={endClasses.note}>{t(END_WORDS[reason])}</div>
      )}
      {text.length > 0 && (
        <div className={endClasses.actions}>
          <CopyButton text={text.join('\n\n')} />
        </div>
      )}
    </article>
  )
}
