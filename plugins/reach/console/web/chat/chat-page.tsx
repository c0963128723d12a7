import { Button } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { t } from '../i18n/words.ts'
import { Empty } from '../ui/empty.tsx'
import { Page } from '../ui/page.tsx'
import { Pending } from '../ui/pending.tsx'
import { Conversation } from './conversation.tsx'
import { useAgent } from './use-agent.ts'

/** A conversation with an agent: the one of the address, a new one, or one with the agent that was used last. */
export function ChatPage() {
  const { agent: name, thread } = useParams({ strict: false })
  const { agent, isPending, error, refetch } = useAgent(name)
  if (agent) return <Conversation agent={agent} thread_id={thread} />
  return (
    <Page title={t('chat.title')}>
      {error || isPending ? (
        <Pending error={error} refetch={refetch} height={120} />
      ) : (
        <Empty
          title={t('chat.no_agents')}
          action={
            <Button component="a" href="/agents">
              {t('chat.to_agents')}
            </Button>
          }
        >
          {t('chat.no_agents_about')}
        </Empty>
      )}
    </Page>
  )
}
