"""What users expect of the web UI, and the tests that hold it. Names are `file:test`, of tests/e2e where no folder is given."""

from __future__ import annotations

EXPECTATIONS: dict[str, str] = {
    "fast start, nothing moves": "start:nothing_moves start:waits_for_nothing start:second_visit start:fits_its_budget",
    "ready to type, but no keyboard on touch": "start:nothing_moves start:touch_devices",
    "Enter sends, Shift+Enter and IME do not": "composer:enter_sends composer:ime_composition",
    "composer grows, drafts are kept": "composer:box_grows composer:drafts_are_kept",
    "sent at once, or Not sent and Retry": "composer:sign_of_life composer:did_not_arrive composer:sent_once_by_itself "
    "connection:survives_a_reload connection:kept_with_its_message connection:file_waits",
    "a sign of life at once": "composer:sign_of_life",
    "smooth streaming": "feed:fast_stream_changes_only",
    "no broken or active markdown": "feed:unfinished_markdown feed:answer_of_a_model_is_inert",
    "scrolling is left alone": "feed:who_scrolled_up feed:feed_follows_its_end",
    "jump to latest": "feed:who_scrolled_up feed:end_key",
    "opens at the end or where it was left": "feed:opens_where_it_was_left",
    "long histories are light": "feed:long_history_is_light",
    "copy": "feed:messages_and_code_are_copied feed:without_the_clipboard_api",
    "code blocks": "feed:unfinished_markdown feed:code_scrolls",
    "edit and resend, retry": "runs:last_message_is_edited runs:failed_run",
    "stop": "composer:stop_is_acknowledged composer:escape_stops",
    "pause and resume": "composer:paused_run",
    "steer": "composer:message_during_a_run queued:shown_as_unread queued:never_read",
    "thinking is folded": "feed:thinking_is_one_line",
    "steps tell what, not JSON": "feed:step_says_what_it_did",
    "steps fold": "feed:many_steps_fold",
    "thumbnails": "feed:screenshots_are_small",
    "viewer and time line": "replay:opens_while replay:arrows_home_and_end replay:thumbnail_opens_its_step "
    "replay:keys_of_a_menu replay:many_steps_stay_light",
    "the place of an action is marked": "replay:place_of_the_action replay:before_and_after",
    "plan": "plan:reworded_moved plan:step_is_dragged plan:shown_as_they_come plan:is_a_record",
    "facts": "plan:fact_leads_to_its_source plan:fact_that_is_wrong",
    "approval card": "approvals:card_says approvals:nothing_approves_by_itself approvals:no_with_a_note approvals:has_just_appeared",
    "approval cannot be missed": "approvals:cannot_be_missed approvals:notifications_are_offered "
    "approvals:wants_no_notifications",
    "approval expires, or is decided elsewhere": "approvals:time_runs_out approvals:decision_elsewhere",
    "take-over": "takeover:one_click_from_anywhere takeover:mouse_clicks takeover:pasted_and_composed "
    "takeover:done_asks takeover:on_a_phone takeover:server_takes walk:taken_by_hand",
    "the browser beside the chat": "stage:large_beside stage:within_a_second stage:takes_nothing_over stage:moved_and_remembered "
    "stage:becomes_a_strip stage:gets_no_frames stage:sheet_that_is_swiped stage:two_fingers",
    "take-over is private": "takeover:nothing_is_recorded tests/real/test_takeover:in_the_vault_alone",
    "take-over keys, F8": "takeover:all_keys takeover:need_no_pointer",
    "meters": "runs:meters_tell",
    "model picker": "composer:chosen_by_keyboard composer:models_tell",
    "session list": "sessions:under_their_age sessions:renamed_in_place sessions:had_back",
    "search": "search:found_and_opened search:however_far_away search:commands_are_done search:keys_go_to "
    "sessions:search_finds",
    "runs in the background": "sessions:told_by_signs sessions:title_of_the_tab queue:waits_for_a_browser",
    "title at once": "sessions:named_at_once titles:better_title titles:gave_stays activities:icon_of_the_site",
    "time stamps": "sessions:relative_and_exact sessions:times_go_on",
    "reload, reconnect, restart": "runs:reload_in_the_midst runs:reload_afterwards runs:earlier_runs runs:lost_connection "
    "restart:catches_up runs:two_tabs connection:run_waits connection:comes_by_itself connection:read_when",
    "errors": "runs:failed_run runs:not_blank runs:unknown_session",
    "empty states": "start:start_page_shows start:missing_model_key search:commands_are_done replay:without_steps",
    "keyboard and accessibility": "access:pages_have_no access:session_has_no access:lies_over access:keyboard_alone access:key_acts_at_once "
    "access:fingers access:targets_of_24 access:focus_is_seen access:can_be_pasted access:reduced_motion access:screen_readers takeover:page_is_for_everyone replay:for_everyone "
    "settings:every_tab search:for_everyone",
    "phones, languages, themes": "access:narrow_windows access:long_notice access:narrow_composer access:language_changes access:theme_is_chosen "
    "access:theme_of_the_system access:left_in_russian",
    "rows of what a person did": "activities:survive_a_reload",
    "files, exports, permissions, branches": "connection:dropped_file keepsakes:file_goes keepsakes:browser_downloaded keepsakes:not_taken "
    "keepsakes:three_forms keepsakes:taken_back keepsakes:branch_begins",
}  # fmt: skip
"""By expectation: parts of the names of its tests."""
