-- name: one
SELECT 1;
