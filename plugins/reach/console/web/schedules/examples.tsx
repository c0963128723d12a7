import { Button } from '@mantine/core'
import { language } from '../i18n/language.ts'
import { t } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import { useFacts } from '../server/facts.ts'
import { refresh } from '../server/send.ts'
import { Failure } from '../ui/failure.tsx'
import { CalendarClock } from '../ui/icons.ts'
import { List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { Section } from '../ui/section.tsx'
import { useAction } from '../ui/use-action.ts'
import { ownTimezone } from './rule.ts'
import { describeRule } from './rule-words.ts'
import { createSchedule, type Example, newValues } from './schedule-form.ts'

/** The examples of schedules for an agent, in the language of the page; undefined until they were read. */
export function useExamples(agentId: string) {
  const { features } = useFacts()
  const init = { params: { path: { id: agentId }, query: { timezone: ownTimezone } } }
  return api.useQuery('get', '/agents/{id}/cron/examples', init, { enabled: features.welcome === true }).data
    ?.jobs[language]
}

interface Props {
  agentId: string
  examples: Example[]
  onOpen(example: Example): void
}

/** Examples of schedules: a click on one opens it in the editor, and its button makes it at once. */
export function Examples({ agentId, examples, onOpen }: Props) {
  const { isBusy, error, run } = useAction()
  const add = (example: Example) =>
    run(async () => {
      await createSchedule(agentId, newValues(example))
      await refresh('/agents/{id}/cron')
    })
  return (
    <Section title={t('schedules.examples')} about={t('schedules.examples_about')}>
      {error !== undefined && <Failure error={error} />}
      <List
        rows={examples}
        error={null}
        refetch={() => {}}
        as="cards"
        label={t('schedules.examples')}
        keyOf={({ prompt }) => prompt}
        empty={null}
      >
        {(example) => (
          <ListRow
            icon={<CalendarClock size={18} aria-hidden />}
            title={example.name}
            meta={example.schedule && describeRule(example.schedule)}
            onOpen={() => onOpen(example)}
          >
            {example.schedule && (
              <Button
                variant="default"
                size="compact-sm"
                disabled={isBusy}
                aria-label={t('schedules.add_example', { name: example.name })}
                onClick={() => add(example)}
              >
                {t('forms.add')}
              </Button>
            )}
          </ListRow>
        )}
      </List>
    </Section>
  )
}
