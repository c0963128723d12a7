import { useHotkeys } from '@mantine/hooks'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useRef, useSyncExternalStore } from 'react'
import type { InputBlock } from '#client'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { refresh, send } from '../server/send.ts'
import { Announcements } from './announcements.tsx'
import { WaitingBar } from './approvals/waiting-bar.tsx'
import { Composer } from './composer/composer.tsx'
import { draftOf } from './composer/draft.ts'
import classes from './conversation.module.css'
import { ConversationHeader } from './conversation-header.tsx'
import { panel, togglePanel } from './files/open-file.ts'
import { placeThread } from './listed-threads.ts'
import { Messages } from './messages/messages.tsx'
import type { SendSettings, ThreadStore } from './store/thread-store.ts'
import { openThread, useIsLost, useThreadStore } from './store/threads.ts'
import type { ListedAgent } from './use-agent.ts'
import { Welcome } from './welcome.tsx'

const Panel = lazy(() => import('./files/panel.tsx'))

interface Props {
  agent: ListedAgent
  /** Without it, the first message begins a thread. */
  thread_id: string | undefined
}

/** A conversation: its header, its messages or a welcome, and the composer. */
export function Conversation({ agent, thread_id }: Props) {
  const store = useThreadStore(agent.id, thread_id)
  const navigate = useNavigate()
  const { project } = useSearch({ strict: false })
  const isLost = useIsLost(agent.id)
  const attachButton = useRef<HTMLButtonElement>(null)
  useEscape(store)
  const { isOpen: isPanelOpen } = useSyncExternalStore(panel.listen, panel.read)

  const begin = async (content: InputBlock[], choices: SendSettings) => {
    if (store) return store.send(content, choices)
    const { knowledge_base_ids, model, ...settings } = choices
    const { data, error } = await client.POST('/agents/{id}/threads', {
      params: { path: { id: agent.id } },
      body: {},
    })
    if (error) throw error
    const { thread_id } = data
    const body = {
      ...(knowledge_base_ids && { knowledge_base_ids }),
      ...(model && { model }),
      ...(project !== undefined && { project_id: project }),
    }
    if (Object.keys(body).length > 0) {
      const params = { path: { id: agent.id, thread_id } }
      await placeThread(
        agent.id,
        await send(client.PATCH('/agents/{id}/threads/{thread_id}', { params, body })),
      )
      await refresh('/agents/{id}/threads', '/projects')
    }
    // The new conversation takes over the choices of this one.
    draftOf(thread_id).set({ settings })
    const created = openThread(agent.id, thread_id, { isNew: true })
    void navigate({ to: '/chat/$agent/$thread', params: { agent: agent.id, thread: thread_id } })
    await created.send(content, settings)
    draftOf(agent.id).set({ settings: {} })
  }

  return (
    <div className={classes.area}>
      <main className={classes.conversation}>
        {isLost && (
          <div className={classes.lost} role="status">
            {t('frame.reconnecting')}
          </div>
        )}
        <ConversationHeader agent={agent} store={store} />
        {store ? (
          <Messages key={store.thread_id} store={store} agent={agent} />
        ) : (
          <Welcome agent={agent} onAttach={() => attachButton.current?.click()} />
        )}
        {store && <Announcements store={store} />}
        <div className={classes.foot}>
          <WaitingBar thread_id={thread_id} />
          <Composer agent={agent} store={store} attachButton={attachButton} onSend={begin} />
        </div>
      </main>
      {isPanelOpen && (
        <Suspense>
          <Panel store={store} />
        </Suspense>
      )}
    </div>
  )
}

/** Fields that use the key themselves. */
const FIELDS = ['INPUT', 'SELECT']

/** Has `Esc` close the panel, or else stop the agent, unless a dialog or menu has the focus. */
function useEscape(store: ThreadStore | undefined) {
  const leave = ({ target }: KeyboardEvent) => {
    if ((target as Element).closest('[role=dialog], [role=menu]')) return
    if (panel.latest().isOpen) return togglePanel()
    const { active, pending } = store?.read() ?? {}
    if (active && !pending) store?.stop()
  }
  useHotkeys([['Escape', leave, { preventDefault: false }]], FIELDS)
}
