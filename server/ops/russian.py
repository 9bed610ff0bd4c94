"""The product's own sentences about a failed step or run, in Russian, for texts that people read. Pure.

They are stored in English, because models read them, too. The web UI has the same in `web/src/i18n/serverRu.ts`.
"""

from __future__ import annotations

import re

SENTENCES = {
    "The page could not be opened.": "Страницу не удалось открыть.",
    "The page needs a login ({n}).": "Странице нужен вход ({n}).",
    "The page was refused ({n}).": "В доступе к странице отказано ({n}).",
    "The page was not found ({n}).": "Страница не найдена ({n}).",
    "The page does not exist any more ({n}).": "Страницы больше нет ({n}).",
    "The page was refused: too many requests ({n}).": "В доступе отказано: слишком много запросов ({n}).",
    "The page could not be shown: the site has an error ({n}).": "Страница не показана: ошибка на сайте ({n}).",
    "The page was not shown ({n}).": "Страница не показана ({n}).",
    "Not done within {n} s: something else on the page covers it, such as a banner or a menu.":
        "Не удалось за {n} с: элемент чем-то закрыт, например баннером или меню.",
    "Not done within {n} s: it has no such option.": "Не удалось за {n} с: такого варианта в списке нет.",
    "Not done within {n} s: it does not stop moving.": "Не удалось за {n} с: элемент всё время движется.",
    "Not done within {n} s: it is read-only.": "Не удалось за {n} с: поле доступно только для чтения.",
    "Not done within {n} s: it is disabled.": "Не удалось за {n} с: элемент неактивен.",
    "Not done within {n} s: it is hidden.": "Не удалось за {n} с: элемент скрыт.",
    "Not done within {n} s: it cannot be scrolled into view.":
        "Не удалось за {n} с: элемент нельзя прокрутить в видимую область.",
    "Timeout {n}ms exceeded.": "За {n} мс ничего не произошло.",
    "The field takes another form of value, such as 2026-11-21 for a date or 14:30 for a time.":
        "Поле принимает значение в другом виде, например 2026-11-21 для даты или 14:30 для времени.",
    "The page kept going to other sites while it was looked at: nothing on it could be read. Wait, or open another.":
        "Страница всё время переходила на другие сайты, прочитать её не удалось.",
    "The page made the answer of the browser tools too long to be read: whether this action happened is not known.":
        "Страница слишком велика, прочитать её не удалось: неизвестно, выполнено ли действие.",
    "A person has the browser now: nothing was done.": "Браузером сейчас управляет человек: ничего не сделано.",
    "The browser tools broke off during this action: it may or may not have happened. Look at the page before going on.":
        "Связь с браузером прервалась: неизвестно, выполнено ли действие.",
    "The browser ended during this action: it may or may not have happened.":
        "Браузер закрылся: неизвестно, выполнено ли действие.",
    "Something else is at this point now: nothing was done. Look again.":
        "В этом месте теперь другой элемент: ничего не сделано.",
    "Task cancelled": "Задача остановлена",
    "Interrupted by a restart of the server.": "Прервано перезапуском сервера.",
    "The time limit of this run is reached.": "Время этого запуска истекло.",
    "Something went wrong inside the service. Its log has the details.": "Внутренняя ошибка сервиса, подробности в его журнале.",
    "The database was away for too long.": "База данных слишком долго не отвечала.",
    "The token budget of this run is used up.": "Бюджет токенов этого запуска исчерпан.",
    "The cost budget of this run is used up.": "Бюджет стоимости этого запуска исчерпан.",
    "The model provider cannot be reached or is overloaded. Try again in a moment.":
        "Провайдер модели недоступен или перегружен. Повторите чуть позже.",
    "The model provider limits how often it may be asked. Wait a little, then try again.":
        "Провайдер модели ограничивает частоту запросов. Подождите немного и повторите.",
    "The account at the model provider has no credit or quota left. Check its billing page.":
        "На счёте у провайдера модели закончились средства или квота. Проверьте страницу оплаты.",
    "The model took too long to answer. Try again, choose a faster model or raise MODEL_TIMEOUT.":
        "Модель слишком долго отвечала. Повторите, выберите модель быстрее или увеличьте MODEL_TIMEOUT.",
    "The connection to the model broke off in the middle of its answer. Try again.":
        "Связь с моделью прервалась посреди ответа. Повторите.",
    "The model's answer could not be understood. Try again or choose another model.":
        "Ответ модели не удалось разобрать. Повторите или выберите другую модель.",
    "The model provider refused the key. Check the key of this provider and what it may use.":
        "Провайдер модели не принял ключ. Проверьте ключ и его права.",
    "This conversation has grown too long for the model. Start a new session or choose a model with a larger context.":
        "Разговор стал слишком длинным для модели. Начните новую сессию или выберите модель с большим контекстом.",
    "The model provider's content filter stopped the answer. Word the task differently.":
        "Ответ остановил фильтр провайдера модели. Сформулируйте задачу иначе.",
    "The answer grew past its limit. Ask for less at once, or raise MODEL_MAX_TOKENS.":
        "Ответ превысил предел длины. Просите меньше за раз или увеличьте MODEL_MAX_TOKENS.",
    "The model provider refused the request. Check that the model's name is right and can use tools.":
        "Провайдер модели отклонил запрос. Проверьте имя модели и умеет ли она работать с инструментами.",
    "The mock model failed, as it was asked to.": "Модель-макет прервалась, как её и просили.",
    "The browser of this session was closed.": "Браузер этой сессии закрыт.",
    "the address is empty": "адрес пуст",
    "this is not a complete web address": "это неполный веб-адрес",
    "the host is on the list of blocked hosts": "сайт в списке запрещённых",
    "the host is not on the list of allowed hosts": "сайта нет в списке разрешённых",
    "it belongs to Pilothouse itself": "он принадлежит самому Pilothouse",
    "the port belongs to Pilothouse itself": "порт принадлежит самому Pilothouse",
    "link-local and cloud metadata addresses are never opened": "служебные адреса не открываются никогда",
    "the address is not one of a web server": "по такому адресу не бывает веб-сервера",
    "private addresses are not opened under this name (see ALLOW_PRIVATE_NETWORK)":
        "под таким именем частные адреса не открываются (см. ALLOW_PRIVATE_NETWORK)",
    "There is no field to type into.": "Поля для ввода здесь нет.",
    "No dialog is open.": "Открытого диалога нет.",
}  # fmt: skip
"""By the English sentence. `{n}` stands for its number."""
TEMPLATES = {
    "The name {x} is not known.": "Имя {x} не найдено.",
    "Blocked by Pilothouse: {x} is not opened, {why}.": "Pilothouse не открывает {x}: {why}.",
    "Not opened: {x}: addresses are not opened, only http and https.":
        "Не открыто: адреса вида {x}: не открываются, только http и https.",
    "Not opened: {why}.": "Не открыто: {why}.",
    "There is no such text, also not after scrolling {x}.": "Такого текста нет и после прокрутки.",
    "Not a file of this session: {x}.": "Это не файл этой сессии: {x}.",
    "There is no file {x} any more.": "Файла {x} больше нет.",
    "There is no tab {x}.": "Вкладки {x} нет.",
}  # fmt: skip
"""Sentences with a name in them. `{x}` stays as it is, `{why}` is one of the sentences above."""
_TEMPLATES = [
    (
        re.compile(re.escape(english).replace(r"\{x\}", "(?P<x>.+)").replace(r"\{why\}", "(?P<why>.+)")),
        russian,
    )
    for english, russian in TEMPLATES.items()
]
_NUMBER = re.compile(r"\d+")
_DOING = re.compile(r"(.+\.) The last action may or may not have happened: (.+)", re.DOTALL)


def in_russian(text: str) -> str:
    """The sentence in Russian; what the product does not say itself, such as a page's words, stays as it is."""
    if known := SENTENCES.get(text):
        return known
    if found := _DOING.fullmatch(text):
        return f"{in_russian(found[1])} Неизвестно, выполнено ли последнее действие: {found[2]}"
    for pattern, russian in _TEMPLATES:
        if named := pattern.fullmatch(text):
            return russian.format_map({name: in_russian(value) for name, value in named.groupdict().items()})
    number = _NUMBER.search(text)
    template = text[: number.start()] + "{n}" + text[number.end() :] if number else text
    return SENTENCES.get(template, text).replace("{n}", number[0] if number else "")
