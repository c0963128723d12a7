import { useQueryClient } from '@tanstack/react-query'
import { t } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import { refresh } from '../server/send.ts'
import { EditSheet } from '../ui/edit-sheet.tsx'
import { LearnedChanges } from './learned-changes.tsx'
import { ProviderFields } from './provider-fields.tsx'
import { type Provider, readProvider, updateProvider, valuesOf } from './provider-form.ts'

interface Props {
  provider: Provider
  onClose(): void
}

/** Changes a provider, as it is stored now. */
export function EditProvider({ provider, onClose }: Props) {
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
