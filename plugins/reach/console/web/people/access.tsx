import { Stack, Text } from '@mantine/core'
import type { components } from '#client'
import { formatNumber } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import { Pending } from '../ui/pending.tsx'
import { Section } from '../ui/section.tsx'
import classes from './access.module.css'
import { Chips } from './chips.tsx'

type Report = components['schemas']['AccountAccess']

/** The permissions, limits and shared things of an account, each with its source. */
export function Access({ username }: { username: string }) {
  const init = { params: { path: { id: username } } }
  const { data, error, refetch } = api.useQuery('get', '/users/{id}/access', init, { staleTime: 0 })
  if (!data) return <Pending error={error} refetch={refetch} height={240} />
  const { permissions, token_quota, budget, things } = data
  return (
    <Stack gap="xl">
      <Text size="sm" c="var(--meta)">
        {t('people.access_about')}
      </Text>
      <Section title={t('people.permissions_all')}>
        {permissions.length === 0 ? (
          <Nothing>{t('people.no_permissions')}</Nothing>
        ) : (
          <ul className={classes.list}>
            {permissions.map(({ key, label, from }) => (
              <Right key={key} name={label} from={from} />
            ))}
          </ul>
        )}
      </Section>
      <Section title={t('people.limits')}>
        <ul className={classes.list}>
          <Right
            name={
              token_quota.value === null
                ? t('people.no_token_limit')
                : t('people.token_limit', { count: formatNumber(token_quota.value) })
            }
            from={token_quota.from}
          />
          <Right
            name={
              budget.value === null
                ? t('people.no_budget')
                : t('people.budget_of', {
                    amount: budget.value.amount,
                    window: t(`people.per_${budget.value.window}`),
                  })
            }
            from={budget.from}
          />
        </ul>
      </Section>
      {things && <Things things={things} />}
    </Stack>
  )
}

/** The things that others share with the account, by kind. */
function Things({ things }: { things: NonNullable<Report['things']> }) {
  const kinds = [...new Map(things.map(({ kind, label }) => [kind, label]))]
  return (
    <Section title={t('people.shared')}>
      {kinds.length === 0 && <Nothing>{t('people.nothing_shared')}</Nothing>}
      {kinds.map(([kind, label]) => (
        <div key={kind}>
          <Text size="xs" c="var(--meta)" mb={4}>
            {label}
          </Text>
          <ul className={classes.list} aria-label={label}>
            {things
              .filter((thing) => thing.kind === kind)
              .map(({ id, name, access, from }) => (
                <Right key={id} name={name} note={t(`people.may_${access}`)} from={from} />
              ))}
          </ul>
        </div>
      ))}
    </Section>
  )
}

/** A right of an account, and its source. */
const Right = ({ name, note, from }: { name: string; note?: string; from: string[] }) => (
  <li className={classes.right}>
    <span className={classes.name}>{name}</span>
    {note && <span className={classes.note}>{note}</span>}
    <Chips names={from.map(nameSource)} />
  </li>
)

const nameSource = (source: string) => {
  if (source === 'account') return t('people.from_account')
  if (source === 'administrator') return t('people.admin')
  return source === 'everyone' ? t('people.everyone') : source
}

const Nothing = ({ children }: { children: string }) => (
  <Text size="sm" c="var(--meta)">
    {children}
  </Text>
)
