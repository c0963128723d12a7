import { Alert, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { refresh } from '../server/send.ts'
import { Confirm } from '../ui/confirm.tsx'
import { deleteProvider, type Provider } from './provider-form.ts'

/** Asks before a provider is deleted, and lists what still uses it. */
export function DeleteProvider({ provider, onClose }: { provider: Provider; onClose(): void }) {
  const [uses, setUses] = useState<Use[]>([])
  const remove = async () => {
    try {
      await deleteProvider(provider)
    } catch (error) {
      setUses(readUses(error))
      throw error
    }
    await refresh('/providers', '/models')
  }
  return (
    <Confirm
      title={t('models.delete_title', { name: provider.name })}
      action={t('common.delete')}
      onConfirm={remove}
      onClose={onClose}
    >
      <Text size="sm">{t('models.delete_about')}</Text>
      {uses.length > 0 && (
        <Alert color="gray" mt="sm" title={t('models.used_by')}>
          <ul>
            {uses.map(({ id, name }) => (
              <li key={id}>
                {id === 'active' ? (
                  t('models.used_by_active')
                ) : (
                  <Link to="/agents/$id" params={{ id }}>
                    {name}
                  </Link>
                )}
              </li>
            ))}
          </ul>
        </Alert>
      )}
    </Confirm>
  )
}

/** Something that uses a provider: an agent, or the default model by the id "active". */
interface Use {
  id: string
  name: string
}

/** Reads what uses a provider from the refusal to delete it. */
function readUses(error: unknown): Use[] {
  const { details } =
    (error as { error?: { details?: { active_model?: string; agents?: Use[] } } }).error ?? {}
  return [
    ...(details?.active_model ? [{ id: 'active', name: details.active_model }] : []),
    ...(details?.agents ?? []),
  ]
}
