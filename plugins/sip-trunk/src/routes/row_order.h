// The order of a tenant's rows: those of the configuration first, then the stored ones by place, and the
// catchall of inbound routes last. Pure; any thread.
#pragma once

#include <string>

#include "routes/route_row.h"

namespace patchbay::sip_trunk {

// All rows in the order in which calls try them. `default_user` is rung by the catchall that is made when
// neither `configured` nor `stored` has one.
RouteRows all_rows(Domain domain, const RouteRows& configured, const RouteRows& stored,
                   const std::string& default_user);

// Gives places to the rows that have none, between those of their neighbours; all rows get new ones when
// there is no room. The catchall keeps to the end.
void assign_places(RouteRows& stored);

// Moves rows[from] so that it becomes the `position`-th (from 1) of the stored rows without the catchall;
// beyond the end it becomes the last one.
void move_row(RouteRows& stored, size_t from, int64_t position);

// The position of the stored row with this id, as move_row() counts; 0: there is none, or it is the catchall.
int64_t position_of(const RouteRows& rows, const std::string& id);

}  // namespace patchbay::sip_trunk
