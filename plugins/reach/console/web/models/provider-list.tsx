import { Button, Menu } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { t } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import { refresh } from '../server/send.ts'
import { SharingSheet } from '../sharing/sharing-sheet.tsx'
import { EditSheet } from '../ui/edit-sheet.tsx'
import { Empty } from '../ui/empty.tsx'
import { Failure } from '../ui/failure.tsx'
import { List, type Rows } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { Monogram } from '../ui/monogram.tsx'
import { RowMenu } from '../ui/row-menu.tsx'
import { State } from '../ui/state.tsx'
import { Toggle } from '../ui/toggle.tsx'
import { useAction } from '../ui/use-action.ts'
import { DeleteProvider } from './delete-provider.tsx'
import { LearnedChanges } from './learned-changes.tsx'
import { ProviderFields } from './provider-fields.tsx'
import { type Provider, readProvider, updateProvider, valuesOf } from './provider-form.ts'

interface Props extends Rows<Provider> {
  label: string
  empty: 'own' | 'global'
  canChange: boolean
  onAdd(): void
}

/** Providers with their actions. */
export function ProviderList({ canChange, onAdd, empty, ...rows }: Props) {
  const { data: kinds } = api.useQuery('get', '/providers/kinds')
  const [editing, setEditing] = useState<Provider>()
  const [sharing, setSharing] = useState<Provider>()
  const [deleting, setDeleting] = useState<Provider>()
  const { error, run } = useAction()
  // An address can name a provider, which is opened once.
  const navigate = useNavigate()
  const { provider: addressedName } = useSearch({ strict: false })
  const addressed = canChange ? rows.rows?.find(({ name }) => name === addressedName) : undefined
  useEffect(() => {
    if (!addressed) return
    setEditing(addressed)
    void navigate({ to: '/models', search: {}, replace: true })
  }, [addressed, navigate])

  const enable = (provider: Provider, enabled: boolean) => {
    const values = valuesOf(provider)
    const update = updateProvider(provider, values, { ...values, enabled })
    return run(() => update.finally(() => refresh('/providers', '/models')))
  }

  const findKind = (name: string) => kinds?.find(({ kind }) => kind === name)

  const describe = ({ kind, models, base_url }: Provider) =>
    [
      findKind(kind)?.label ?? kind,
      models.length > 0 ? t('models.models', { count: models.length }) : t('models.models_all'),
      base_url,
    ]
      .filter(Boolean)
      .join(' · ')

  return (
    <>
      {error !== undefined && <Failure error={error} />}
      <List
        {...rows}
        keyOf={({ id }) => id}
        {...((rows.rows?.length ?? 0) > 5 && { textOf: (row: Provider) => `${row.name} ${describe(row)}` })}
        empty={
          <Empty
            title={t(`models.${empty}_empty`)}
            action={
              canChange && (
                <Button variant="default" onClick={onAdd}>
                  {t('models.add')}
                </Button>
              )
            }
          >
            {t(`models.${empty}_empty_about`)}
          </Empty>
        }
      >
        {(provider) => (
          <ListRow
            icon={<Monogram name={provider.name} />}
            title={provider.name}
            meta={
              <>
                {describe(provider)}
                {kinds && !findKind(provider.kind) && <div>{t('models.kind_gone')}</div>}
              </>
            }
            onOpen={canChange ? () => setEditing(provider) : undefined}
          >
            {canChange ? (
              <>
                <Toggle
                  size="sm"
                  aria-label={`${t('models.enabled')}: ${provider.name}`}
                  checked={provider.enabled}
                  onToggle={(checked) => enable(provider, checked)}
                />
                <RowMenu
                  name={provider.name}
                  onEdit={() => setEditing(provider)}
                  onDelete={() => setDeleting(provider)}
                >
                  {provider.scope === 'global' && (
                    <Menu.Item onClick={() => setSharing(provider)}>{t('sharing.open')}</Menu.Item>
                  )}
                </RowMenu>
              </>
            ) : (
              <State tone={provider.enabled ? 'on' : 'off'}>
                {t(provider.enabled ? 'forms.enabled' : 'forms.disabled')}
              </State>
            )}
          </ListRow>
        )}
      </List>
      {editing && <EditProvider provider={editing} onClose={() => setEditing(undefined)} />}
      {sharing && (
        <SharingSheet
          thing={{ kind: 'provider', id: sharing.id, name: sharing.name, owner: null, is_owner: true }}
          onClose={() => setSharing(undefined)}
        />
      )}
      {deleting && <DeleteProvider provider={deleting} onClose={() => setDeleting(undefined)} />}
    </>
  )
}

interface EditProviderProps {
  provider: Provider
  onClose(): void
}

/** Changes a provider, as it is stored now. */
function EditProvider({ provider, onClose }: EditProviderProps) {
  const queries = useQueryClient()
  const { data: kinds } = api.useQuery('get', '/providers/kinds')
  const kind = kinds?.find(({ kind }) => kind === provider.kind)
  return (
    <EditSheet
      title={t('models.edit', { name: provider.name })}
      id={provider.id}
      read={() => readProvider(provider)}
      valuesOf={({ data }) => valuesOf(data)}
      save={async ({ data, tag }, base, values) => {
        await updateProvider(data, base, values, { tag, kind })
        await refresh('/providers', '/models')
      }}
      onClose={onClose}
    >
      {(values, onChange, { data: stored, tag }) =>
        kind ? (
          <>
            <ProviderFields {...{ kind, values, onChange, stored }} />
            <LearnedChanges
              provider={stored}
              tag={tag}
              onForgotten={(next) => queries.setQueryData(['edit', provider.id], next)}
            />
          </>
        ) : (
          kinds && t('models.kind_gone')
        )
      }
    </EditSheet>
  )
}
