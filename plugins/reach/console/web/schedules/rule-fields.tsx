import { Chip, Group, Input, NativeSelect, NumberInput, Select, TextInput } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { useIssue } from '../ui/issues.tsx'
import { REPEATS, type Repeats, type RuleValues, UNITS, type Unit } from './rule.ts'
import { nameDay, WEEK } from './rule-words.ts'

const TIMEZONES = Intl.supportedValuesOf('timeZone')

interface Props {
  rule: RuleValues
  onChange(rule: RuleValues): void
}

/** The fields of the times at which something runs. */
export function RuleFields({ rule, onChange }: Props) {
  const change = (changes: Partial<RuleValues>) => onChange({ ...rule, ...changes })
  const { repeats } = rule
  const hasTime = ['day', 'weekdays', 'week', 'month'].includes(repeats)
  const issue = useIssue('/schedule')
  return (
    <>
      <Group gap="sm" align="flex-end">
        <NativeSelect
          flex="1 1 180px"
          label={t('schedules.repeats')}
          data={REPEATS.map((value) => ({ value, label: t(`schedules.repeats_${value}`) }))}
          value={repeats}
          onChange={(event) => change({ repeats: event.currentTarget.value as Repeats })}
        />
        {hasTime && (
          <TextInput
            type="time"
            w={130}
            label={t('schedules.time')}
            value={rule.time}
            onChange={(event) => change({ time: event.currentTarget.value })}
          />
        )}
      </Group>
      {repeats === 'week' && (
        <Input.Wrapper label={t('schedules.weekdays')} labelElement="div">
          <Chip.Group
            multiple
            value={rule.weekdays.map(String)}
            onChange={(days) => days.length > 0 && change({ weekdays: days.map(Number) })}
          >
            <Group gap={6} mt={4} role="group" aria-label={t('schedules.weekdays')}>
              {WEEK.map((day) => (
                <Chip key={day} value={String(day)} size="xs" aria-label={nameDay(day)}>
                  {nameDay(day, 'short')}
                </Chip>
              ))}
            </Group>
          </Chip.Group>
        </Input.Wrapper>
      )}
      {repeats === 'month' && (
        <NumberInput
          maw={160}
          label={t('schedules.day_of_month')}
          min={1}
          max={31}
          allowDecimal={false}
          clampBehavior="strict"
          value={rule.day}
          onChange={(day) => change({ day: Number(day) || 1 })}
        />
      )}
      {repeats === 'interval' && (
        <Group gap="sm" align="flex-end">
          <NumberInput
            w={120}
            label={t('schedules.every')}
            min={1}
            allowDecimal={false}
            value={rule.count}
            onChange={(count) => change({ count: Number(count) || 1 })}
          />
          <NativeSelect
            flex={1}
            aria-label={t('schedules.unit')}
            data={Object.keys(UNITS).map((value) => ({ value, label: t(`schedules.unit_${value as Unit}`) }))}
            value={rule.unit}
            onChange={(event) => change({ unit: event.currentTarget.value as Unit })}
          />
        </Group>
      )}
      {repeats === 'once' && (
        <TextInput
          type="datetime-local"
          maw={240}
          label={t('schedules.at')}
          error={issue}
          value={rule.at}
          onChange={(event) => change({ at: event.currentTarget.value })}
        />
      )}
      {repeats === 'custom' && (
        <TextInput
          label={t('schedules.cron')}
          description={t('schedules.cron_help')}
          error={issue}
          value={rule.cron}
          onChange={(event) => change({ cron: event.currentTarget.value })}
          spellCheck={false}
          autoComplete="off"
        />
      )}
      {(hasTime || repeats === 'custom') && (
        <Select
          label={t('schedules.timezone')}
          data={TIMEZONES.includes(rule.timezone) ? TIMEZONES : [rule.timezone, ...TIMEZONES]}
          value={rule.timezone}
          searchable
          allowDeselect={false}
          limit={50}
          onChange={(timezone) => timezone && change({ timezone })}
        />
      )}
    </>
  )
}
