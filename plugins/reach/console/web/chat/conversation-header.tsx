import { ActionIcon } from '@mantine/core'
import { useEffect } from 'react'
import { LazyThreadMenu } from '../conversations/lazy-thread-menu.tsx'
import { t } from '../i18n/words.ts'
import { ShareButton } from '../shares/share-button.tsx'
import { PanelRight } from '../ui/icons.ts'
import { PhoneBar } from '../ui/phone-bar.tsx'
import classes from './conversation-header.module.css'
import { togglePanel } from './files/open-file.ts'
import type { ThreadStore } from './store/thread-store.ts'
import { isForPerson } from './store/thread-view.ts'
import { useThread } from './store/threads.ts'
import { titleOf, useThreadRow } from './thread-list.ts'
import type { ListedAgent } from './use-agent.ts'

interface Props {
  agent: ListedAgent
  store: ThreadStore | undefined
}

/** The title of a conversation, its state, and what can be done with it. */
export function ConversationHeader({ agent, store }: Props) {
  const row = useThreadRow(agent.id, store?.thread_id)
  useThread(store, ({ turns }) => turns.length === 0)
  const title = store ? titleOf({ thread_id: store.thread_id, title: row?.title ?? null }) : agent.name
  useEffect(() => {
    document.title = `${title} · svc`
  }, [title])
  return (
    <PhoneBar>
      <div className={classes.header}>
        <h1 className={classes.title}>{title}</h1>
        <div className={classes.middle}>{store && <State store={store} />}</div>
        <ActionIcon
          variant="subtle"
          color="gray"
          onClick={togglePanel}
          aria-label={t('chat.panel')}
          title={t('chat.panel')}
        >
          <PanelRight size={18} aria-hidden />
        </ActionIcon>
        {row && <ShareButton agent_id={agent.id} thread_id={row.thread_id} />}
        {row && <LazyThreadMenu key={row.thread_id} row={row} title={title} />}
      </div>
    </PhoneBar>
  )
}

/** Shows whether the agent works or waits for somebody. */
function State({ store }: { store: ThreadStore }) {
  const state = useThread(store, ({ active, pending }) =>
    pending ? (isForPerson(pending) ? 'waiting' : 'waiting_program') : active ? 'running' : undefined,
  )
  return (
    <span role="status" className={classes.state} data-state={state}>
      {state && t(`chat.${state}`)}
    </span>
  )
}
