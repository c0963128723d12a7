import { Group, Progress, Stack, Text } from '@mantine/core'
import type { components } from '#client'
import { formatBytes, formatNumber } from '../i18n/format.ts'
import { t, type WordKey } from '../i18n/words.ts'
import { Section } from '../ui/section.tsx'
import classes from './limits.module.css'

/** The limits that mean something to a person; the others protect the server. */
const NAMES: Record<string, WordKey> = {
  agents: 'account.limit_agents',
  threads: 'account.limit_threads',
  running_turns: 'account.limit_running_turns',
  account_bytes: 'account.limit_account_bytes',
  providers: 'account.limit_providers',
  skill_packages: 'account.limit_skill_packages',
  published_experts: 'account.limit_published_experts',
  api_keys: 'account.limit_api_keys',
  passkeys: 'account.limit_passkeys',
  sessions: 'account.limit_sessions',
}
/** The part from which a limit is worth a look. */
const NEAR = 0.9

/** The share of its limits that the account has used. */
export function Limits({ limits }: { limits: components['schemas']['Limits'] }) {
  const shown = Object.entries(NAMES).flatMap(([name, label]) => {
    const limit = limits[name]
    return typeof limit?.used === 'number' ? [{ name, label, used: limit.used, max: limit.max }] : []
  })
  return (
    <Section title={t('account.limits')} about={t('account.limits_about')}>
      <ul className={classes.limits}>
        {shown.map(({ name, label, used, max }) => {
          const format = name.endsWith('_bytes') ? formatBytes : formatNumber
          const text = t('account.used_of', { used: format(used), max: format(max) })
          return (
            <Stack key={name} gap={6} component="li">
              <Group justify="space-between" gap="xs" wrap="nowrap">
                <Text size="sm">{t(label)}</Text>
                <Text size="sm" c="var(--meta)">
                  {text}
                </Text>
              </Group>
              <Progress
                size={4}
                value={max === 0 ? 100 : (100 * used) / max}
                color={used >= max * NEAR ? 'red' : 'gray'}
                aria-hidden
              />
            </Stack>
          )
        })}
      </ul>
    </Section>
  )
}
