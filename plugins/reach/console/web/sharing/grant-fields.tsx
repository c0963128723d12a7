import { Stack, Text } from '@mantine/core'
import { joinNames, t } from '../i18n/words.ts'
import { Section } from '../ui/section.tsx'
import { keyOf } from './directory.ts'
import classes from './grant-fields.module.css'
import { GrantList } from './grant-list.tsx'
import { compareGrants, EVERYONE, type Grant, granteeOf, nameOfGrant, toGrant } from './grants.ts'
import type { Kind, SharedThing } from './kinds.ts'
import { PeoplePicker } from './people-picker.tsx'

interface Props {
  thing: SharedThing
  grants: readonly Grant[]
  base: readonly Grant[]
  refused?: readonly string[]
  /** Without it, the fields only show who has access. */
  onChange?: ((grants: Grant[]) => void) | undefined
  /** True if the field that adds people has the focus at first. */
  isFocused?: boolean
}

/** The fields that say who can use something: a field that adds people and groups, the list, and what changes. */
export function GrantFields({ thing, grants, base, refused = [], onChange, isFocused = false }: Props) {
  const { kind, owner } = thing
  const grantees = grants.map(granteeOf)
  const isForEveryone = grantees.includes(EVERYONE)
  return (
    <Stack gap="lg">
      {onChange && (
        <PeoplePicker
          label={t('sharing.add')}
          placeholder={t('sharing.add_example')}
          value={[]}
          onChange={(entries) => onChange([...grants, ...entries.map(toGrant)])}
          isOffered={(entry) =>
            !grantees.includes(entry.kind === 'user' ? `user:${entry.name}` : keyOf(entry)) &&
            !(entry.kind === 'user' && entry.name === owner)
          }
          data-autofocus={isFocused || undefined}
        />
      )}
      <Section title={t('sharing.who')}>
        <GrantList {...{ thing, grants, base, refused, onChange }} />
        {onChange && isForEveryone && grants.length > 1 && grants.some(isUsePerson) && (
          <Text size="xs" c="var(--meta)">
            {t('sharing.everyone_still')}
          </Text>
        )}
        <Text size="xs" c="var(--meta)">
          {t(`sharing.about_${kind}`)}
        </Text>
        {!onChange && (
          <Text size="sm">
            {owner === null ? t('sharing.by_administrators') : t('sharing.by_owner', { owner })}
          </Text>
        )}
      </Section>
      {onChange && <Changes {...{ kind, base, grants }} />}
    </Stack>
  )
}

const isUsePerson = (grant: Grant) => granteeOf(grant) !== EVERYONE && grant.access === 'use'

/** The changes that saving makes, and what ends for people who lose access. */
function Changes({ kind, base, grants }: { kind: Kind; base: readonly Grant[]; grants: readonly Grant[] }) {
  const { gained, lowered, removed } = compareGrants(base, grants)
  const isForEveryone = grants.some((grant) => granteeOf(grant) === EVERYONE)
  const lines = [
    { key: 'sharing.change_use', changed: gained.filter(({ access }) => access === 'use') },
    { key: 'sharing.change_edit', changed: gained.filter(({ access }) => access === 'edit') },
    { key: 'sharing.change_lowered', changed: lowered },
    { key: 'sharing.change_removed', changed: removed },
  ] as const
  const shown = lines.filter(({ changed }) => changed.length > 0)
  // The region exists before its text, so that screen readers announce it.
  return (
    <div role="status">
      {shown.length > 0 && (
        <div className={classes.changes}>
          <b>{t('sharing.changes')}</b>
          {shown.map(({ key, changed }) => (
            <div key={key}>{t(key, { names: joinNames(changed.map(nameOfGrant)) })}</div>
          ))}
          {removed.length > 0 && !isForEveryone && <div>{t(`sharing.ends_${kind}`)}</div>}
        </div>
      )}
    </div>
  )
}
