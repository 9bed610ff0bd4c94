import type { Lang } from '@/lib/prefs'

/** What the server says of a page that could not be used, by what stands between "The page" and the HTTP status. */
const RUSSIAN: Record<string, string> = {
  'needs a login': 'Странице нужен вход',
  'was refused': 'В доступе к странице отказано',
  'was not found': 'Страница не найдена',
  'does not exist any more': 'Страницы больше нет',
  'was refused: too many requests': 'В доступе отказано: слишком много запросов',
  'could not be shown: the site has an error': 'Страница не показана: ошибка на сайте',
  'was not shown': 'Страница не показана',
}
const OF_PAGE = /^The page (.+) \((\d{3})\)\.$/

/** Why a step failed, in the language of the page where the sentence is a known one. */
export function failureText(summary: string, lang: Lang): string {
  if (lang !== 'ru') return summary
  if (summary === 'The page could not be opened.') return 'Страницу не удалось открыть.'
  const [, what = '', status] = OF_PAGE.exec(summary) ?? []
  return RUSSIAN[what] ? `${RUSSIAN[what]} (${status}).` : summary
}
