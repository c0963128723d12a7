import { Button } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { useRows } from '../server/pages.ts'
import { Failure } from '../ui/failure.tsx'
import { List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { Section } from '../ui/section.tsx'
import { useAction } from '../ui/use-action.ts'
import { deleteMemory, keepMemory } from './memories.ts'
import { MemoryFacts } from './memory-facts.tsx'
import type { AgentNames } from './use-agent-names.ts'

/** The memories that wait for a decision of the person; nothing if there is none. */
export function Proposals({ names }: { names: AgentNames }) {
  const proposals = useRows('/memories', { query: { state: 'proposed' } })
  const { isBusy, error, run } = useAction()
  if (!proposals.error && error === undefined && !proposals.rows?.length) return null
  return (
    <Section title={t('memory.proposals')} about={t('memory.proposals_about')}>
      {error !== undefined && <Failure error={error} />}
      <List {...proposals} label={t('memory.proposals')} keyOf={({ id }) => id} empty={null}>
        {(memory) => (
          <ListRow title={memory.text} meta={<MemoryFacts memory={memory} names={names} />}>
            <Button
              size="xs"
              variant="light"
              disabled={isBusy}
              onClick={() => void run(() => keepMemory(memory.id))}
            >
              {t('chat.remember')}
            </Button>
            <Button
              size="xs"
              variant="default"
              disabled={isBusy}
              onClick={() => void run(() => deleteMemory(memory.id))}
            >
              {t('memory.dismiss')}
            </Button>
          </ListRow>
        )}
      </List>
    </Section>
  )
}
