import { Checkbox, Select } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { useRows } from '../server/pages.ts'
import { refresh, send } from '../server/send.ts'
import { useAccount } from '../session/account.ts'
import { Sheet } from '../ui/sheet.tsx'

interface Props {
  agentId: string
  slug: string
  onClose(): void
}

/** Copies a skill of an agent to a package that the account can change. */
export function SkillPush({ agentId, slug, onClose }: Props) {
  const { role, username } = useAccount()
  const { rows = [] } = useRows('/skill-packages', { query: { limit: 200 } })
  const [chosen, setChosen] = useState<string>()
  const [overwrite, setOverwrite] = useState(false)
  const packages = rows.filter(({ created_by }) => role === 'admin' || created_by === username)
  const package_id = chosen ?? packages[0]?.id

  const push = async () => {
    const init = { params: { path: { id: agentId, slug } }, body: { package_id: package_id!, overwrite } }
    await send(client.POST('/agents/{id}/skills/{slug}/push-to-package', init))
    await refresh('/skill-packages')
  }
  return (
    <Sheet
      title={t('agents.skill_push')}
      canSave={package_id !== undefined}
      onSave={push}
      saveLabel={t('agents.skills_copy')}
      onClose={onClose}
    >
      <Select
        label={t('agents.package')}
        placeholder={t('agents.no_packages')}
        data={packages.map(({ id, name }) => ({ value: id, label: name }))}
        value={package_id ?? null}
        allowDeselect={false}
        onChange={(id) => setChosen(id ?? undefined)}
      />
      <Checkbox
        label={t('agents.skills_overwrite')}
        checked={overwrite}
        onChange={(event) => setOverwrite(event.currentTarget.checked)}
      />
    </Sheet>
  )
}
