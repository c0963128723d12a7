import { formatDate } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import { Pending } from '../ui/pending.tsx'
import { Section } from '../ui/section.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { Values } from '../ui/values.tsx'
import { EVENT_TYPES } from './event-types.ts'
import type { Event } from './steps.ts'
import type { ThreadPath } from './use-events.ts'

interface Props {
  path: ThreadPath
  event: Event
  onClose(): void
}

/** Everything that was recorded about an event. */
export function EventSheet({ path, event, onClose }: Props) {
  const params = { path: { ...path, event_id: event.event_id } }
  const whole = api.useQuery('get', '/agents/{id}/threads/{thread_id}/trajectory/events/{event_id}', {
    params,
  })
  const label = t(EVENT_TYPES[event.type].label)
  if (!whole.data)
    return (
      <Sheet title={label} onClose={onClose}>
        <Pending {...whole} height={240} />
      </Sheet>
    )
  const { event_id: _, seq, turn_id, type: __, ts, frame, ...recorded } = whole.data
  return (
    <Sheet title={label} width={640} onClose={onClose}>
      <Values
        of={{
          [t('trajectory.time')]: formatDate(ts),
          [t('trajectory.number')]: seq,
          [t('trajectory.turn')]: turn_id,
        }}
      />
      <Section title={t('trajectory.frame')}>
        <Values of={frame} />
      </Section>
      {Object.keys(recorded).length > 0 && (
        <Section title={t('trajectory.recorded')}>
          <Values of={recorded} />
        </Section>
      )}
    </Sheet>
  )
}
