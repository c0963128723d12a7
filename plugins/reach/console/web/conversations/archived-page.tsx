import { Button } from '@mantine/core'
import { archiveThread } from '../chat/change-thread.ts'
import { titleOf, useArchivedThreads } from '../chat/thread-list.ts'
import { useAgents } from '../chat/use-agent.ts'
import { t } from '../i18n/words.ts'
import { Empty } from '../ui/empty.tsx'
import { Failure } from '../ui/failure.tsx'
import { List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { Page } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { useAction } from '../ui/use-action.ts'
import { LazyThreadMenu } from './lazy-thread-menu.tsx'

/** The archived conversations. */
export default function ArchivedPage() {
  const threads = useArchivedThreads()
  const { rows: agents = [] } = useAgents()
  const { error, run } = useAction()
  const nameAgent = (agent_id: string) => agents.find(({ id }) => id === agent_id)?.name
  return (
    <Page title={t('conversations.archive_title')} about={t('conversations.archive_about')}>
      {error !== undefined && <Failure error={error} />}
      <List
        {...threads}
        label={t('conversations.archive_title')}
        keyOf={({ thread_id }) => thread_id}
        textOf={(thread) => titleOf(thread)}
        empty={
          <Empty title={t('conversations.archive_empty')}>{t('conversations.archive_empty_about')}</Empty>
        }
      >
        {(thread) => (
          <ListRow
            title={titleOf(thread)}
            link={{
              to: '/chat/$agent/$thread',
              params: { agent: thread.agent_id, thread: thread.thread_id },
            }}
            meta={
              <>
                {nameAgent(thread.agent_id)} · <Time at={thread.last_active} />
              </>
            }
          >
            <Button variant="default" size="xs" onClick={() => void run(() => archiveThread(thread, false))}>
              {t('conversations.unarchive')}
            </Button>
            <LazyThreadMenu
              row={thread}
              title={titleOf(thread)}
              label={t('forms.actions', { name: titleOf(thread) })}
            />
          </ListRow>
        )}
      </List>
    </Page>
  )
}
