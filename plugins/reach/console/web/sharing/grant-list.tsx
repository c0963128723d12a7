import { ActionIcon, NativeSelect } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '../i18n/words.ts'
import { useAccount } from '../session/account.ts'
import { Globe, ShieldUser, UserRound, Users, X } from '../ui/icons.ts'
import { useSharingRule } from './directory.ts'
import classes from './grant-list.module.css'
import { type Access, changeAccess, EVERYONE, type Grant, granteeOf, nameOfGrant } from './grants.ts'
import { KINDS, type SharedThing } from './kinds.ts'

interface Props {
  thing: SharedThing
  grants: readonly Grant[]
  /** The grants as they are stored. */
  base: readonly Grant[]
  /** The grantees with whom the server does not let the account share. */
  refused: readonly string[]
  /** Without it, the list only shows who has access. */
  onChange?: ((grants: Grant[]) => void) | undefined
}

/** The people and groups who can use something: its owner, those with whom it is shared, and everyone. */
export function GrantList({ thing, grants, base, refused, onChange }: Props) {
  const everyone = grants.find((grant) => granteeOf(grant) === EVERYONE)
  const isEveryoneStored = base.some((grant) => granteeOf(grant) === EVERYONE)
  const rule = useSharingRule()
  const { access } = KINDS[thing.kind]
  const set = (grant: Grant) =>
    onChange && ((next: Access | null) => onChange(changeAccess(grants, grant, next)))
  return (
    <ul className={classes.list} aria-label={t('sharing.who')}>
      <OwnerRow thing={thing} />
      {grants.map((grant) => {
        const grantee = granteeOf(grant)
        if (grantee === EVERYONE) return null
        const name = nameOfGrant(grant)
        return (
          <Row
            key={grantee}
            icon={grant.user === undefined ? <Users size={16} /> : <UserRound size={16} />}
            name={name}
            about={grant.user === undefined ? t('sharing.group') : grant.user !== name && grant.user}
            error={refused.includes(grantee) && t('sharing.refused')}
          >
            <AccessField name={name} offered={access} access={grant.access} onChange={set(grant)} />
            {onChange && (
              <ActionIcon
                size="sm"
                variant="subtle"
                color="gray"
                aria-label={t('sharing.remove', { name })}
                onClick={(event) => {
                  focusNextRow(event.currentTarget)
                  set(grant)?.(null)
                }}
              >
                <X size={14} aria-hidden />
              </ActionIcon>
            )}
          </Row>
        )
      })}
      <Row
        icon={<Globe size={16} />}
        name={t('sharing.everyone')}
        error={refused.includes(EVERYONE) && t('sharing.refused')}
      >
        <AccessField
          name={t('sharing.everyone')}
          offered={access}
          access={everyone?.access ?? null}
          isOptional
          disabled={!isEveryoneStored && rule !== 'everyone'}
          onChange={set(everyone ?? { everyone: true, access: 'use' })}
        />
        {onChange && <span className={classes.gap} />}
      </Row>
    </ul>
  )
}

/** Moves the focus to the row below, before the row with the focus is removed. */
const focusNextRow = (button: HTMLElement) =>
  button.closest('li')?.nextElementSibling?.querySelector<HTMLElement>('select, button')?.focus()

function OwnerRow({ thing: { owner } }: { thing: SharedThing }) {
  const { username, display_name } = useAccount()
  const isSelf = owner === username
  return (
    <Row
      icon={owner === null ? <ShieldUser size={16} /> : <UserRound size={16} />}
      name={owner === null ? t('sharing.administrators') : (isSelf && display_name) || owner}
      about={isSelf && t('sharing.you')}
    >
      <span className={classes.access}>{t('sharing.owner')}</span>
    </Row>
  )
}

interface RowProps {
  icon: ReactNode
  name: string
  about?: string | false
  error?: string | false
  children: ReactNode
}

const Row = ({ icon, name, about, error, children }: RowProps) => (
  <li className={classes.row}>
    <span className={classes.icon} aria-hidden>
      {icon}
    </span>
    <div className={classes.text}>
      <div className={classes.name}>{name}</div>
      {about && <div className={classes.about}>{about}</div>}
      {error && (
        <div className={classes.error} role="alert">
          {error}
        </div>
      )}
    </div>
    {children}
  </li>
)

interface AccessFieldProps {
  name: string
  offered: readonly Access[]
  access: Access | null
  /** True if no access can be chosen, too. */
  isOptional?: boolean
  disabled?: boolean
  onChange: ((access: Access | null) => void) | undefined
}

const LABELS = {
  none: 'sharing.access_none',
  use: 'sharing.access_use',
  edit: 'sharing.access_edit',
} as const

function AccessField({ name, offered, access, isOptional = false, disabled, onChange }: AccessFieldProps) {
  const options = [...(isOptional ? (['none'] as const) : []), ...offered]
  const value = access ?? 'none'
  if (!onChange || options.length < 2) return <span className={classes.access}>{t(LABELS[value])}</span>
  return (
    <NativeSelect
      className={classes.select}
      size="xs"
      aria-label={t('sharing.access_of', { name })}
      value={value}
      disabled={disabled ?? false}
      data={options.map((option) => ({ value: option, label: t(LABELS[option]) }))}
      onChange={(event) => {
        const next = event.currentTarget.value as Access | 'none'
        onChange(next === 'none' ? null : next)
      }}
    />
  )
}
