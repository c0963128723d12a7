import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useSyncExternalStore } from 'react'
import type { InputBlock } from '#client'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { Announcements } from './announcements.tsx'
import { WaitingBar } from './approvals/waiting-bar.tsx'
import { Composer } from './composer/composer.tsx'
import classes from './conversation.module.css'
import { ConversationHeader } from './conversation-header.tsx'
import { panel } from './files/open-file.ts'
import { Messages } from './messages/messages.tsx'
import type { SendSettings } from './store/thread-store.ts'
import { openThread, useIsLost, useThreadStore } from './store/threads.ts'
import type { ListedAgent } from './use-agent.ts'
import { useEscape } from './use-escape.ts'
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
  const isLost = useIsLost(agent.id)
  useEscape(store)
  const { isOpen: isPanelOpen } = useSyncExternalStore(panel.listen, panel.read)

  const send = async (content: InputBlock[], settings: SendSettings) => {
    if (store) return store.send(content, settings)
    const { data, error } = await client.POST('/agents/{id}/threads', {
      params: { path: { id: agent.id } },
      body: {},
    })
    if (error) throw error
    const created = openThread(agent.id, data.thread_id, { isNew: true })
    void navigate({ to: '/chat/$agent/$thread', params: { agent: agent.id, thread: data.thread_id } })
    return created.send(content, settings)
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
        {store ? <Messages key={store.thread_id} store={store} agent={agent} /> : <Welcome agent={agent} />}
        {store && <Announcements store={store} />}
        <div className={classes.foot}>
          <WaitingBar thread_id={thread_id} />
          <Composer agent={agent} store={store} onSend={send} />
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
