// Includes sofia-sip with our types as its callback contexts. Files include this instead of sofia-sip's
// headers, because the macros must be the same everywhere.
#pragma once

namespace patchbay::sip_trunk {
class UserAgent;
class HandleOwner;
}  // namespace patchbay::sip_trunk

#define SU_ROOT_MAGIC_T ::patchbay::sip_trunk::UserAgent
#define SU_TIMER_ARG_T ::patchbay::sip_trunk::HandleOwner
#define NUA_MAGIC_T ::patchbay::sip_trunk::UserAgent
#define NUA_HMAGIC_T ::patchbay::sip_trunk::HandleOwner

#include <sofia-sip/auth_client.h>
#include <sofia-sip/msg_addr.h>
#include <sofia-sip/msg_mclass.h>
#include <sofia-sip/nta.h>
#include <sofia-sip/nta_tag.h>
#include <sofia-sip/nua.h>
#include <sofia-sip/sip.h>
#include <sofia-sip/sip_extra.h>
#include <sofia-sip/sip_header.h>
#include <sofia-sip/sip_status.h>
#include <sofia-sip/sip_tag.h>
#include <sofia-sip/sip_util.h>
#include <sofia-sip/su_log.h>
#include <sofia-sip/su_tag_io.h>
#include <sofia-sip/su_wait.h>
#include <sofia-sip/tport_tag.h>
#include <sofia-sip/url.h>
