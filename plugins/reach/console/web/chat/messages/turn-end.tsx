import { ActionIcon, Button } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { SlotPlace } from '../../frame/slot-place.tsx'
import { t } from '../../i18n/words.ts'
import { client } from '../../server/client.ts'
import { send } from '../../server/send.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { GitFork } from '../../ui/icons.ts'
import { useAction } from '../../ui/use-action.ts'
import { ChatFailure } from '../chat-failure.tsx'
import { draftOf } from '../composer/draft.ts'
import { MessageFiles } from '../files/message-files.tsx'
import { readText, type ThreadStore } from '../store/thread-store.ts'
import type { Message, Turn } from '../store/thread-view.ts'
import { refreshThreads } from '../store/threads.ts'
import { AnswerCost } from './answer-cost.tsx'
import { listArtifacts } from './parts.ts'
import { Regenerate } from './regenerate.tsx'
import classes from './turn-end.module.css'
import { Versions } from './versions.tsx'

interface Props {
  turn: Turn
  store: ThreadStore
  /** True for the last turn of the conversation. */
  isLast: boolean
}

/** The end of a finished turn: the files that it made, why it ended, and what can be done with the answer. */
export function TurnEnd({ turn, store, isLast }: Props) {
  const answers = turn.messages.filter(({ role }) => role === 'assistant')
  const last = answers.at(-1)
  const text = answers
    .map(({ content }) => readText(content))
    .join('\n\n')
    .trim()
  const files = listArtifacts(turn)
  const [head] = answers
  const versions = head && (head.versions ?? (turn.answer_versions && [...turn.answer_versions, head.id]))
  return (
    <>
      <div className={classes.files}>
        <MessageFiles agent_id={store.agent_id} files={files} size="large" align="start" />
      </div>
      {last?.error && (
        <div className={classes.failure}>
          <ChatFailure error={last.error} onRetry={() => void store.regenerate(last.id)} />
        </div>
      )}
      {last && <Ending message={last} store={store} isLast={isLast} />}
      {head && last && (
        <div className={classes.actions}>
          <Versions store={store} message_id={head.id} versions={versions} />
          {text !== '' && <CopyButton text={text} />}
          <Regenerate store={store} message_id={last.id} />
          {text !== '' && <Fork store={store} message_id={last.id} />}
          <SlotPlace
            name="message.actions"
            author="assistant"
            agent_id={store.agent_id}
            thread_id={store.thread_id}
            message_id={last.id}
            text={text}
          />
          <AnswerCost turn={turn} />
        </div>
      )}
    </>
  )
}

/** Begins a conversation that goes on after an answer. */
function Fork({ store, message_id }: { store: ThreadStore; message_id: string }) {
  const navigate = useNavigate()
  const { error, isBusy, run } = useAction()
  const [isAsked, setAsked] = useState(false)
  const { agent_id: id, thread_id } = store
  const fork = () => {
    setAsked(true)
    return run(async () => {
      const params = { path: { id, thread_id } }
      const newThread = await send(
        client.POST('/agents/{id}/threads/{thread_id}/fork', { params, body: { message_id } }),
      )
      refreshThreads(id)
      await navigate({ to: '/chat/$agent/$thread', params: { agent: id, thread: newThread.thread_id } })
    })
  }
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="sm"
        loading={isBusy}
        onClick={() => void fork()}
        aria-label={t('chat.fork')}
        title={t('chat.fork')}
      >
        <GitFork size={14} aria-hidden />
      </ActionIcon>
      {isAsked && error !== undefined && <Failure error={error} />}
    </>
  )
}

/** The ends after which the agent can go on. */
const CAN_CONTINUE = ['length', 'max_steps']

interface EndingProps {
  /** The last reply of its turn. */
  message: Message
  store: ThreadStore
  isLast: boolean
}

/** Shows why an answer is incomplete; the last answer can be continued if a limit ended it. */
function Ending({ message: { stop_reason: end, status }, store, isLast }: EndingProps) {
  const reason = status === 'stopped' ? 'stopped' : end
  if (reason === undefined || reason === 'end') return null
  const goOn = () => {
    const { settings } = draftOf(store.thread_id).read()
    return store.send([{ type: 'text', text: t('tools.go_on') }], settings)
  }
  return (
    <div className={classes.note}>
      {t(END_WORDS[reason])}
      {isLast && CAN_CONTINUE.includes(reason) && (
        <Button size="compact-xs" variant="default" onClick={() => void goOn()}>
          {t('tools.go_on')}
        </Button>
      )}
    </div>
  )
}

/** The words for the ends of an answer that a person should know of. */
export const END_WORDS = {
  length: 'tools.length',
  filtered: 'tools.filtered',
  refused: 'tools.refused',
  max_steps: 'tools.max_steps',
  stopped: 'tools.stopped_turn',
} as const
