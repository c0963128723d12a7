import { Group, Progress, Stack, Text } from '@mantine/core'
import { t } from '../i18n/words.ts'

/** The part from which a limit is worth a look. */
const NEAR = 0.9

interface BarProps {
  used: number
  max: number
}

interface Props extends BarProps {
  label: string
  format(value: number): string
}

/** The used part of a limit, in words and as a bar. */
export const UsedBar = ({ label, used, max, format }: Props) => (
  <Stack gap={6}>
    <Group justify="space-between" gap="xs" wrap="nowrap">
      <Text size="sm">{label}</Text>
      <Text size="sm" c="var(--meta)">
        {t('account.used_of', { used: format(used), max: format(max) })}
      </Text>
    </Group>
    <Bar used={used} max={max} />
  </Stack>
)

/** The used part of a limit as a bar, beside words that say it. */
export const Bar = ({ used, max }: BarProps) => (
  <Progress
    size={4}
    value={max === 0 ? 100 : Math.min((100 * used) / max, 100)}
    color={used >= max * NEAR ? 'red' : 'gray'}
    aria-hidden
  />
)
