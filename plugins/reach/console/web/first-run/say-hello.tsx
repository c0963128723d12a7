import { Button } from '@mantine/core'
import { draftOf } from '../chat/composer/draft.ts'
import { t } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import { Step } from './step.tsx'

/** Leads to the first conversation, whose first message is written already. */
export function SayHello({ onDone }: { onDone(): void }) {
  const { data: agents, isPending } = api.useQuery('get', '/agents')
  const begin = () => {
    const agent = agents?.[0]
    if (agent) draftOf(agent.id).insert(t('first-run.first_message'))
    onDone()
  }
  return (
    <Step
      about={t('first-run.hello_about')}
      action={
        <Button onClick={begin} loading={isPending}>
          {t('first-run.begin')}
        </Button>
      }
      onSkip={onDone}
    />
  )
}
