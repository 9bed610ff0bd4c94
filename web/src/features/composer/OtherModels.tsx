import { useQueries } from '@tanstack/react-query'
import { api } from '@/api/client'
import type { ModelInfo } from '@/api/types'
import { MenuOption } from '@/ui/Menu'

const FRESH = 60_000

interface Props {
  models: ModelInfo[]
  chosen: string
}

/** What the person's own servers have besides the listed models. One that does not answer adds nothing. */
export function OtherModels({ models, chosen }: Props) {
  const providers = [
    ...new Set(models.filter(({ own_server, ready }) => own_server && ready).map(({ provider }) => provider)),
  ]
  const found = useQueries({
    queries: providers.map((provider) => ({
      queryKey: ['serverModels', provider],
      queryFn: () => api.serverModels({ provider, key: null, address: null, model: null }),
      staleTime: FRESH,
      retry: false,
    })),
    combine: (answers) =>
      answers.flatMap(({ data }, at) => data?.names.map((name) => `${providers[at]}:${name}`) ?? []),
  })
  const listed = new Set(models.map(({ id }) => id))
  const others = found.filter((id) => !listed.has(id))
  if (!listed.has(chosen) && !others.includes(chosen)) others.unshift(chosen)
  return others.map((id) => (
    <MenuOption key={id} value={id}>
      {id.replace(/^\w+:/, '')}
    </MenuOption>
  ))
}
