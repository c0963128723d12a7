import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { formatBytes, formatNumber } from '../i18n/format.ts'
import { t, type WordKey } from '../i18n/words.ts'
import { useFacts } from '../server/facts.ts'
import type { Account } from '../session/account.ts'
import { Section } from '../ui/section.tsx'
import { UsedBar } from '../ui/used-bar.tsx'
import { BudgetBar } from '../usage/limit-bar.tsx'
import { OwnQuota } from '../usage/own-quota.tsx'
import classes from './limits.module.css'

/** The limits that mean something to a person; the others protect the server. */
const NAMES: Record<string, WordKey> = {
  agents: 'account.limit_agents',
  threads: 'account.limit_threads',
  running_turns: 'account.limit_running_turns',
  account_bytes: 'account.limit_account_bytes',
  memories: 'account.limit_memories',
  shares: 'account.limit_shares',
  providers: 'account.limit_providers',
  skill_packages: 'account.limit_skill_packages',
  published_experts: 'account.limit_published_experts',
  api_keys: 'account.limit_api_keys',
  passkeys: 'account.limit_passkeys',
  sessions: 'account.limit_sessions',
}
/** The share of its limits that the account has used. */
export function Limits({ account: { limits, budget } }: { account: Account }) {
  const { features } = useFacts()
  const shown = Object.entries(NAMES).flatMap(([name, label]) => {
    const limit = limits[name]
    return typeof limit?.used === 'number' ? [{ name, label, used: limit.used, max: limit.max }] : []
  })
  return (
    <Section title={t('account.limits')} about={t('account.limits_about')}>
      <ul className={classes.limits}>
        {budget && (
          <li className={classes.wide}>
            <BudgetBar budget={budget} />
          </li>
        )}
        {features.usage && <OwnQuota className={classes.wide} />}
        {shown.map(({ name, label, used, max }) => {
          const isSize = name === 'account_bytes'
          return (
            <li key={name}>
              <UsedBar label={t(label)} used={used} max={max} format={isSize ? formatBytes : formatNumber} />
              {isSize && (
                <Anchor size="xs" renderRoot={(props) => <Link {...props} to="/storage" />}>
                  {t('common.see_storage')}
                </Anchor>
              )}
            </li>
          )
        })}
      </ul>
    </Section>
  )
}
