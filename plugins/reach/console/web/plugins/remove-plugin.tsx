import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { refresh, send } from '../server/send.ts'
import { CodeField } from '../two-factor/code-field.tsx'
import { Confirm } from '../ui/confirm.tsx'
import type { Plugin } from './plugins.ts'
import { useHasCode } from './use-has-code.ts'

interface Props {
  plugin: Plugin
  onRemoved(): void
  onClose(): void
}

/** Removes a plugin, after a question and with a code if the account has an app. */
export function RemovePlugin({ plugin: { name }, onRemoved, onClose }: Props) {
  const [code, setCode] = useState('')
  const needsCode = useHasCode()
  const remove = async () => {
    const body = code ? { code } : {}
    await send<unknown>(client.DELETE('/admin/plugins/{name}', { params: { path: { name } }, body }))
    await refresh('/admin/plugins')
    onRemoved()
  }
  return (
    <Confirm
      title={t('plugins.remove_title', { name })}
      action={t('plugins.remove')}
      onConfirm={remove}
      onClose={onClose}
    >
      {t('plugins.remove_about')}
      {needsCode && (
        <CodeField
          isFree
          mt="sm"
          label={t('plugins.code')}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
      )}
    </Confirm>
  )
}
